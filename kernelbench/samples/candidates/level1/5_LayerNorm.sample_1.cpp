// Right, native C++ with parameters: `weights` holds the reference's state_dict in its order, here norm.weight and norm.bias.
#include <autokernel/kernel.h>

#include <cmath>
#include <cstdio>

AUTOKERNEL_KERNEL(const AutokernelCall* call) {
  if (call->num_weights != 2) {
    std::snprintf(call->message, call->message_size, "expected 2 weights, got %d", call->num_weights);
    return 1;
  }
  const AutokernelTensor& x = call->inputs[0].tensor;
  const float* scale = static_cast<const float*>(call->weights[0].data);
  const float* shift = static_cast<const float*>(call->weights[1].data);
  const int64_t rows = x.shape[0];
  const int64_t columns = x.shape[1];
  for (int64_t row = 0; row < rows; ++row) {
    const float* in = static_cast<const float*>(x.data) + row * columns;
    float* out = static_cast<float*>(call->outputs[0].data) + row * columns;
    double mean = 0.0;
    for (int64_t i = 0; i < columns; ++i) mean += in[i];
    mean /= static_cast<double>(columns);
    // A second pass over the row: the difference of squares would cancel where the mean is large.
    double variance = 0.0;
    for (int64_t i = 0; i < columns; ++i) variance += (in[i] - mean) * (in[i] - mean);
    const double factor = 1.0 / std::sqrt(variance / static_cast<double>(columns) + 1e-5);
    for (int64_t i = 0; i < columns; ++i) {
      out[i] = static_cast<float>((in[i] - mean) * factor * scale[i] + shift[i]);
    }
  }
  return 0;
}
