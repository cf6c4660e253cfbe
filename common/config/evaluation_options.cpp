#include "common/config/evaluation_options.hpp"

namespace autokernel::config {

void bind_evaluation_options(Command& command, protocol::EvaluationOptions& options,
                             const std::vector<std::string>& rules) {
  command.name_choice("protocol", rules, options.rules, "which of KernelBench's rule tables decides",
                      [&options](const std::string& name) { options.rules = name; });
  command.choice("precision", options.precision, "what weights and inputs are cast to");
  command.choice("stages", options.stages, "all five stages, or only what KernelBench calls correct");
  command.integer("trials", options.trials, {1, 1000}, "correctness trials with fresh inputs");
  command.choice("inputs", options.inputs, "where weights and inputs are drawn; cpu is KernelBench's way");
  command.choice("weights", options.weights, "the same seed for both models, or a copy of the reference's state_dict");
  command.negated_flag("timing", options.timing, "judge, but measure nothing");
  command.integer("samples", options.samples, {1, 1'000'000},
                  "timing samples of candidate and reference each, at least");
  command.number("timeout", options.timeout_seconds, 1,
                 "seconds of the candidate's own work; building has its own limit");
  command.flag("require-custom", options.require_custom,
               "refuse candidates that launch only the framework's own kernels");
  command.choice("sandbox", options.sandbox, "how much of the sandbox must be there");
  command.natural("seed", options.seed, "where weights, inputs and trials start from");
  command.optional_integer("batch", options.batch, {1, 1'000'000'000},
                           "replaces the problem's batch_size, for a small machine; stands in the record");
}

}  // namespace autokernel::config
