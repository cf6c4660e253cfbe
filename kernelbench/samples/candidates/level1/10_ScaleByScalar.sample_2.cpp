// Right, native C++: Python numbers arrive beside the tensors, here a float as `real`.
#include <autokernel/kernel.h>

#include <cstdio>

AUTOKERNEL_KERNEL(const AutokernelCall* call) {
  if (call->num_inputs != 2 || call->inputs[1].kind != AUTOKERNEL_REAL) {
    std::snprintf(call->message, call->message_size, "expected a tensor and a float");
    return 1;
  }
  const AutokernelTensor& x = call->inputs[0].tensor;
  int64_t count = 1;
  for (int32_t axis = 0; axis < x.ndim; ++axis) count *= x.shape[axis];

  const float* in = static_cast<const float*>(x.data);
  const float factor = static_cast<float>(call->inputs[1].real);
  float* out = static_cast<float*>(call->outputs[0].data);
  for (int64_t i = 0; i < count; ++i) out[i] = in[i] * factor;
  return 0;
}
