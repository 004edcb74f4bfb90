#include "parsers/records/stars_record.h"

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
