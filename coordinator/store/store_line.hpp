#pragma once

#include <functional>
#include <string>
#include <utility>

#include "coordinator/store/job_store.hpp"

namespace autokernel::store {

/// What the dispatch thread asks of the store: it never blocks, and the answer comes later, on the dispatch thread.
/// Every request is answered once, in the order asked. kUnavailable never comes back: the line repeats the request
/// until the store is back. kStale means that another coordinator leads; this one must end.
class StoreLine {
 public:
  template <class T>
  using Done = std::function<void(Result<T>)>;

  virtual ~StoreLine() = default;
  virtual void post(Transition transition, Done<Outcome> done) = 0;
  virtual void counts(Done<Counts> done) = 0;
  virtual void finished_since(std::string cursor, std::size_t limit, Done<EndingsPage> done) = 0;

  /// False while requests are being repeated: nothing may be promised, and no silence counts.
  [[nodiscard]] virtual bool reachable() const = 0;
  /// Requests not answered yet.
  [[nodiscard]] virtual std::size_t backlog() const = 0;

  template <class T>
  void apply(T transition, Done<typename T::Outcome> done) {
    post(Transition(std::move(transition)), [done = std::move(done)](Result<Outcome> outcome) {
      if (!outcome) {
        done(tl::unexpected(std::move(outcome).error()));
      } else {
        done(std::get<typename T::Outcome>(*std::move(outcome)));
      }
    });
  }
};

}  // namespace autokernel::store
