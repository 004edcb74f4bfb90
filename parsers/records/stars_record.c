#include "parsers/records/stars_record.h"

const struct value_name stars_task_types[] = {{0, "AI_CORE"},           {1, "AI_CPU"},
                                              {2, "AIV_SQE"},           {3, "PLACE_HOLDER_SQE"},
                                              {4, "EVENT_RECORD_SQE"},  {5, "EVENT_WAIT_SQE"},
                                              {6, "NOTIFY_RECORD_SQE"}, {7, "NOTIFY_WAIT_SQE"},
                                              {8, "WRITE_VALUE_SQE"},   {9, "VQ6_SQE"},
                                              {10, "TOF_SQE"},          {11, "SDMA_SQE"},
                                              {12, "VPC_SQE"},          {13, "JPEGE_SQE"},
                                              {14, "JPEGD_SQE"},        {15, "DSA_SQE"},
                                              {16, "ROCCE_SQE"},        {17, "PCIE_DMA_SQE"},
                                              {18, "HOST_CPU_SQE"},     {19, "CDQM_SQE"},
                                              {20, "C_CORE_SQE"},       {0, NULL}};

const struct value_name stars_part_types[] = {{0, "AIC"},
                                              {1, "AIV"},
                                              {3, "Notify Wait"},
                                              {4, "Notify Record"},
                                              {5, "Write Value"},
                                              {6, "MIX_AIC"},
                                              {7, "MIX_AIV"},
                                              {8, "SDMA"},
                                              {9, "Data Context"},
                                              {10, "Invalidate Data Context"},
                                              {11, "Writeback Data Context"},
                                              {12, "AI_CPU"},
                                              {13, "Load Context"},
                                              {15, "DSA"},
                                              {0, NULL}};

const struct value_name stars_split_types[] = {{0, "AIC"}, {1, "AIV"}, {4, "FFTS+"}, {5, "MIX"}, {0, NULL}};
