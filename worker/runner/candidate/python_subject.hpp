#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "worker/runner/candidate/subject.hpp"
#include "worker/runner/python/model.hpp"

namespace autokernel::runner {

/// A `.py` candidate: the class ModelNew.
class PythonSubject final : public Subject {
 public:
  /// Imports the file, with the extensions that a builder left in the artefact folder at hand.
  [[nodiscard]] static Attempt<std::unique_ptr<Subject>> load(const messages::Load& request, Device& device,
                                                              const Arena& arena);

  [[nodiscard]] Attempt<std::vector<std::string>> instantiate(const messages::Instantiate& request) override;
  [[nodiscard]] Attempt<void> prepare(std::span<const messages::CallInputs> calls,
                                      const messages::ResultPlace& place) override;
  [[nodiscard]] Attempt<void> poison() override;
  [[nodiscard]] Attempt<void> invoke(std::size_t call) override;
  [[nodiscard]] Description result() override;
  void drop() override { result_ = pybind11::object(); }

 private:
  PythonSubject(const messages::Load& request, Device& device, const Arena& arena, pybind11::object model_class)
      : device_(device),
        arena_(arena),
        problem_path_(request.problem_path),
        precision_(request.precision),
        model_class_(std::move(model_class)) {}

  [[nodiscard]] Attempt<void> copy_weights(const std::vector<messages::NamedTensor>& weights);

  Device& device_;
  const Arena& arena_;
  std::string problem_path_;
  protocol::Precision precision_;
  pybind11::object problem_;  ///< the problem's module, imported at the first instance
  pybind11::object model_class_;
  pybind11::object model_;
  std::vector<pybind11::tuple> arguments_;      ///< one tuple per call
  std::vector<messages::TensorView> expected_;  ///< dense sizes of what forward will allocate
  pybind11::object result_;
};

}  // namespace autokernel::runner
