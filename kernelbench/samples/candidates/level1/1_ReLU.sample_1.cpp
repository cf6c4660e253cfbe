// Right, native C++ for the CPU: one C function over plain memory, no torch header, built in about a second.
// A `.cpp` candidate runs on the CPU device only.
#include <autokernel/kernel.h>

AUTOKERNEL_KERNEL(const AutokernelCall* call) {
  const AutokernelTensor& x = call->inputs[0].tensor;
  int64_t count = 1;
  for (int32_t axis = 0; axis < x.ndim; ++axis) count *= x.shape[axis];

  const float* in = static_cast<const float*>(x.data);
  float* out = static_cast<float*>(call->outputs[0].data);
  // Written so that NaN stays NaN, as torch.relu does: a comparison with NaN is false.
  for (int64_t i = 0; i < count; ++i) out[i] = in[i] < 0.0F ? 0.0F : in[i];
  return 0;
}
