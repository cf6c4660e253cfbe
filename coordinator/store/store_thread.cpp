#include "coordinator/store/store_thread.hpp"

#include <algorithm>
#include <utility>

#include "common/telemetry/log.hpp"

namespace autokernel::store {
namespace {

std::size_t weight_of(const Transition& transition) {
  if (const auto* submit = std::get_if<Submit>(&transition)) return submit->spec.size();
  if (const auto* complete = std::get_if<Complete>(&transition)) return complete->record.size();
  return 0;
}

}  // namespace

StoreThread::StoreThread(std::unique_ptr<JobStore> store, const transport::Waker& waker, StoreThreadOptions options)
    : store_(std::move(store)),
      waker_(waker),
      options_(options),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

StoreThread::~StoreThread() = default;

void StoreThread::ask(Request request) {
  ++asked_;
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
  }
  asked_more_.notify_one();
}

void StoreThread::answer(std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::move(callback));
  }
  waker_.wake();
}

void StoreThread::deliver() {
  std::vector<std::function<void()>> ready;
  {
    const std::lock_guard lock(mutex_);
    ready.swap(answers_);
  }
  for (auto& callback : ready) {
    ++answered_;
    callback();
  }
}

void StoreThread::post(Transition transition, Done<Outcome> done) {
  ask(Write{std::move(transition), std::move(done)});
}

template <class T>
StoreThread::Read StoreThread::read(std::function<Result<T>(JobStore&)> query, Done<T> done) {
  return [this, query = std::move(query), done = std::move(done)](JobStore& store) {
    Result<T> result = query(store);
    note(result || result.error().code != Code::kUnavailable, result ? "" : result.error().message);
    if (!result && result.error().code == Code::kUnavailable) return false;
    answer([done, result = std::move(result)]() mutable { done(std::move(result)); });
    return true;
  };
}

void StoreThread::counts(Done<Counts> done) {
  ask(read<Counts>([](JobStore& store) { return store.counts(); }, std::move(done)));
}

void StoreThread::finished_since(std::string cursor, std::size_t limit, Done<EndingsPage> done) {
  ask(read<EndingsPage>(
      [cursor = std::move(cursor), limit](JobStore& store) { return store.finished_since(cursor, limit); },
      std::move(done)));
}

bool StoreThread::take_batch(std::vector<Request>& batch, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  asked_more_.wait(lock, stop, [this] { return !requests_.empty(); });
  if (stop.stop_requested()) return false;
  std::size_t bytes = 0;
  while (!requests_.empty() && batch.size() < options_.batch && bytes < options_.batch_bytes) {
    const auto* write = std::get_if<Write>(&requests_.front());
    const bool is_read = write == nullptr;
    if (is_read && !batch.empty()) break;  // a read goes alone, in its turn
    if (!is_read) bytes += weight_of(write->transition);
    batch.push_back(std::move(requests_.front()));
    requests_.pop_front();
    if (is_read) break;
  }
  return true;
}

bool StoreThread::serve(std::vector<Request>& batch) {
  auto* read = std::get_if<Read>(&batch.front());
  if (read == nullptr) return serve_writes(batch);
  if (!(*read)(*store_)) return false;
  batch.clear();
  return true;
}

bool StoreThread::serve_writes(std::vector<Request>& batch) {
  std::vector<Transition> transitions;
  transitions.reserve(batch.size());
  for (Request& request : batch) transitions.push_back(std::move(std::get<Write>(request).transition));
  auto outcomes = store_->apply(transitions);

  // Said before anything is answered: whoever has an answer finds the store reachable.
  const auto is_away = [](const Result<Outcome>& outcome) {
    return !outcome && outcome.error().code == Code::kUnavailable;
  };
  const auto away = std::find_if(outcomes.begin(), outcomes.end(), is_away);
  note(away == outcomes.end(), away == outcomes.end() ? "" : away->error().message);

  std::vector<Request> repeated;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto& write = std::get<Write>(batch[i]);
    if (is_away(outcomes[i])) {
      write.transition = std::move(transitions[i]);
      repeated.push_back(std::move(batch[i]));
      continue;
    }
    answer([done = std::move(write.done), outcome = std::move(outcomes[i])]() mutable { done(std::move(outcome)); });
  }
  batch = std::move(repeated);
  return batch.empty();
}

void StoreThread::note(bool reachable, const std::string& why) {
  if (reachable_.exchange(reachable) == reachable) return;
  if (reachable) {
    telemetry::info("the store is back");
  } else {
    telemetry::warning("the store is unreachable; nothing is acknowledged until it is back", {{"reason", why}});
  }
  waker_.wake();
}

void StoreThread::run(const std::stop_token& stop) {
  std::vector<Request> batch;
  auto backoff = options_.first_backoff;
  for (;;) {
    if (batch.empty() && !take_batch(batch, stop)) return;
    if (serve(batch)) {
      batch.clear();
      backoff = options_.first_backoff;
      continue;
    }
    std::unique_lock lock(mutex_);
    asked_more_.wait_for(lock, stop, backoff, [] { return false; });
    if (stop.stop_requested()) return;
    backoff = std::min(backoff * 2, options_.longest_backoff);
  }
}

}  // namespace autokernel::store
