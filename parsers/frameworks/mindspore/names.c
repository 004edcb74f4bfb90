/* SPDX-License-Identifier: Apache-2.0 */
#include "parsers/frameworks/mindspore/mindspore.h"

static const char *const modules[] = {"Default", "GraphExecutorPy", "RuntimeFramework", "PynativeFramework",
                                      "Kernel",  "Python",          "Capture",          "Other"};
static const char *const stages[] = {"Default", "Python",  "Capture",          "RunGraph",     "RunGrad",
                                     "RunOp",   "Asnumpy", "CompileGradGraph", "WaitPipeline", "SyncStream"};
static const char *const events[] = {"Default",
                                     "KernelInfer",
                                     "KernelResize",
                                     "KernelInferAndResize",
                                     "KernelLaunch",
                                     "KernelLaunckCallback",
                                     "KernelUpdate",
                                     "KernelPrepareData",
                                     "GraphLaunch",
                                     "InputProcess",
                                     "OutputProcess",
                                     "WaitTaskFinish",
                                     "PreLaunch",
                                     "PostLaunch",
                                     "SendOutput",
                                     "MemoryAlloc",
                                     "MemoryFree",
                                     "CopyData",
                                     "StreamSync",
                                     "ProcessMultiStream",
                                     "WaitKernelsInferFinish",
                                     "WaitKernelsResizeFinish",
                                     "WaitKernelsLaunchFinish",
                                     "KernelInferInner",
                                     "KernelInferDataSync",
                                     "KernelResizeInner",
                                     "KernelLaunchInner",
                                     "BackendGraphRunInner",
                                     "RunOp",
                                     "PyNativeFrontendTask",
                                     "PyNativeBackendTask",
                                     "PyNativeDeviceTask",
                                     "PyNativeLaunchTask",
                                     "PyNativeBpropTask",
                                     "Wait",
                                     "PyNativeGilAcquire",
                                     "PyNativeCast",
                                     "PyNativeInfer",
                                     "PyNativeOpCompile",
                                     "PyNativeGradExpander",
                                     "PyNativeGradUpdateSens",
                                     "PyNativeGradClearTopCell",
                                     "PyNativeGradClearAutoGradCell",
                                     "PyBoostInferOutput",
                                     "PyBoostInferByOpDef",
                                     "PyBoostCreateOutputTensor",
                                     "PyBoostDeviceTask",
                                     "PyBoostMallocInput",
                                     "PyBoostMallocOutput",
                                     "PyBoostLaunchAclnn",
                                     "PyBoostLaunchAtb",
                                     "PyNativeNewGraph",
                                     "PyNativeEndGraph",
                                     "PythonObserved",
                                     "CaptureRunGraph",
                                     "CaptureProcess",
                                     "CaptureCompile",
                                     "CaptureGuard",
                                     "AclnnHitCacheStage1",
                                     "AclnnHitCacheStage2",
                                     "AclnnMissCacheStage1",
                                     "AclnnMissCacheStage2",
                                     "AclnnUpdateAddress",
                                     "AclnnRunOp",
                                     "RunExpanderFunc",
                                     "EmitOp",
                                     "Execute",
                                     "ReleaseResource",
                                     "NativeFunc"};

#define NAME_OF(list, number) ((number) < sizeof(list) / sizeof *(list) ? (list)[number] : "Default")

const char *mindspore_module_name(unsigned number)
{
    return NAME_OF(modules, number);
}

const char *mindspore_stage_name(unsigned number)
{
    return NAME_OF(stages, number);
}

const char *mindspore_event_name(unsigned number)
{
    return NAME_OF(events, number);
}
