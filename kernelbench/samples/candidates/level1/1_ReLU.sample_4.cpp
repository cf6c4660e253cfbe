// Does not compile: `count` is used before it is declared. The verdict carries the compiler's own message.
#include <autokernel/kernel.h>

AUTOKERNEL_KERNEL(const AutokernelCall* call) {
  const float* in = static_cast<const float*>(call->inputs[0].tensor.data);
  float* out = static_cast<float*>(call->outputs[0].data);
  for (int64_t i = 0; i < count; ++i) out[i] = in[i] < 0.0F ? 0.0F : in[i];
  return 0;
}
