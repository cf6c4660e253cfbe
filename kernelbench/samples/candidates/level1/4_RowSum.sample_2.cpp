// Right, native C++: the sum of each row, gathered in double precision so that no order of summation matters.
#include <autokernel/kernel.h>

AUTOKERNEL_KERNEL(const AutokernelCall* call) {
  const AutokernelTensor& x = call->inputs[0].tensor;
  const int64_t rows = x.shape[0];
  const int64_t columns = x.shape[1];
  const float* in = static_cast<const float*>(x.data);
  float* out = static_cast<float*>(call->outputs[0].data);
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (int64_t column = 0; column < columns; ++column) sum += in[row * columns + column];
    out[row] = static_cast<float>(sum);
  }
  return 0;
}
