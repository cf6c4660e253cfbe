#include <gmock/gmock.h>

#include <csignal>
#include <map>

#include "common/clock/clock.hpp"
#include "common/id/digest.hpp"
#include "common/system/file.hpp"
#include "common/transport/transport.hpp"
#include "coordinator/store/redis_job_store.hpp"
#include "tests/support/a_job.hpp"
#include "tests/support/machine.hpp"
#include "tests/support/redis_server.hpp"
#include "tests/support/store_checker.hpp"

/// The whole coordinator as a process, with a worker and a client that the test plays over ipc sockets.
namespace autokernel::test {
namespace {

using namespace std::chrono_literals;
using protocol::AckKind;
using protocol::ClientMessage;
using protocol::DeviceKind;
using protocol::Dispatch;
using protocol::Finished;
using protocol::Heartbeat;
using protocol::Hello;
using protocol::JobResult;
using protocol::pack_message;
using protocol::Phase;
using protocol::Progress;
using protocol::Reject;
using protocol::RejectCode;
using protocol::ResultAck;
using protocol::RunningToken;
using protocol::StageName;
using protocol::Started;
using protocol::StatusReply;
using protocol::StatusRequest;
using protocol::Submitted;
using protocol::ToClientMessage;
using protocol::ToWorkerMessage;
using protocol::unpack_message;
using protocol::Verdict;
using protocol::Watch;
using protocol::Welcome;
using protocol::WhoAreYou;
using protocol::WorkerMessage;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto kPatience = 20s;  // a bound for machines that are busy; nothing waits for it to pass

/// One side of a conversation: sends, and waits for the message it wants.
template <class Incoming, class Outgoing>
class Peer {
 public:
  Peer(transport::Context& context, const std::string& endpoint)
      : socket_(*transport::Dealer::connect(context, endpoint)) {}

  void send(const Outgoing& message) { ASSERT_TRUE(socket_->send(pack_message(message))); }
  void send_bytes(std::string_view bytes) { ASSERT_TRUE(socket_->send(bytes)); }

  /// The next message of that type; those before it are passed over.
  template <class T>
  std::optional<T> wait_for(std::chrono::milliseconds patience = kPatience) {
    const SteadyClock clock;
    const auto deadline = clock.now() + patience;
    while (clock.now() < deadline) {
      auto received = socket_->receive();
      if (received && *received) {
        auto message = unpack_message<Incoming>((*received)->body);
        EXPECT_TRUE(message) << message.error().message;
        if (const auto* wanted = std::get_if<T>(&*message)) return *wanted;
        continue;
      }
      transport::Poll poll;
      poll.add(*socket_);
      EXPECT_TRUE(poll.wait(100ms));
    }
    return std::nullopt;
  }

 private:
  std::unique_ptr<transport::Dealer> socket_;
};
using Worker = Peer<ToWorkerMessage, WorkerMessage>;
using Client = Peer<ToClientMessage, ClientMessage>;

class CoordinatorProcess : public testing::Test {
 protected:
  void SetUp() override {
    AUTOKERNEL_REQUIRE_REDIS_SERVER();
    server_.emplace();
    start();
  }

  void start(std::vector<std::string> more = {}) {
    system::ProcessOptions options;
    options.arguments = {AUTOKERNEL_COORDINATOR,
                         "--redis",
                         "unix:" + server_->address().path,
                         "--queue",
                         "q",
                         "--workers",
                         endpoint("workers"),
                         "--clients",
                         endpoint("clients"),
                         "--retry-base-ms",
                         "10",
                         "--log",
                         log_path()};
    options.arguments.insert(options.arguments.end(), more.begin(), more.end());
    options.output_path = (server_->folder() / "coordinator.err").string();
    auto started = system::ChildProcess::start(options);
    ASSERT_TRUE(started) << started.error().message;
    coordinator_.emplace(*std::move(started));
  }
  std::optional<system::ExitStatus> end(int signal) {
    coordinator_->send_signal(signal);
    return coordinator_->wait(kPatience);
  }

  std::string endpoint(const std::string& name) { return "ipc://" + (server_->folder() / name).string(); }
  std::string log_path() { return (server_->folder() / "coordinator.log").string(); }
  std::string log_text() { return system::read_file(log_path(), 1U << 24U).value_or(""); }

  Hello a_hello(std::vector<RunningToken> running = {}) {
    Hello hello;
    hello.worker = "w";
    hello.incarnation = incarnation_;
    hello.devices.push_back({DeviceKind::kCpu, "cpu", "a CPU", 0});
    hello.running = std::move(running);
    return hello;
  }
  static Heartbeat a_beat(std::uint64_t credit, std::vector<RunningToken> running = {}) {
    Heartbeat beat;
    beat.seen_dispatch = ~std::uint64_t{0};
    beat.credit = credit;
    beat.running = std::move(running);
    return beat;
  }
  /// The worker offers a place and gets a job.
  std::optional<Dispatch> take(Worker& worker) {
    worker.send(a_beat(1));
    auto dispatch = worker.wait_for<Dispatch>();
    EXPECT_TRUE(dispatch);
    if (dispatch) {
      worker.send(Started{dispatch->token});
      worker.send(a_beat(0, {{dispatch->token, Phase::kRunning}}));
    }
    return dispatch;
  }
  void check(bool finished = true) {
    auto connection = server_->connect();
    CheckedRun run;
    run.queue = "q";
    run.acknowledged = acknowledged_;
    run.finished = finished;
    const auto violations = check_store(connection, run);
    ASSERT_TRUE(violations) << violations.error().message;
    EXPECT_THAT(*violations, IsEmpty());
  }
  void submit(Client& client, const JobBuilder& job) {
    client.send(job.message());
    const auto submitted = client.wait_for<Submitted>();
    ASSERT_TRUE(submitted);
    acknowledged_[submitted->submit_key] = submitted->job;
  }

  std::optional<RedisServer> server_;
  transport::Context context_;
  std::optional<system::ChildProcess> coordinator_;
  std::uint64_t incarnation_ = random_bits();
  std::map<std::string, std::uint64_t> acknowledged_;
};

TEST_F(CoordinatorProcess, TakesAJobFromSubmitToVerdict) {
  Client client(context_, endpoint("clients"));
  Worker worker(context_, endpoint("workers"));
  submit(client, a_job("a"));
  worker.send(a_hello());
  const auto welcome = worker.wait_for<Welcome>();
  ASSERT_TRUE(welcome);
  EXPECT_EQ(welcome->epoch, 1U);

  const auto dispatch = take(worker);
  ASSERT_TRUE(dispatch);
  EXPECT_EQ(dispatch->spec.problem.name, "level1/a.py");
  EXPECT_EQ(dispatch->attempt, 1);
  EXPECT_GT(dispatch->max_runtime_ms, 0);

  Progress progress{dispatch->token, {}};
  progress.stage.name = StageName::kSweep;
  worker.send(progress);
  worker.send(JobResult{dispatch->token, a_record(dispatch->spec, Verdict::kRobust)});
  EXPECT_EQ(worker.wait_for<ResultAck>()->outcome, AckKind::kStored);
  worker.send(JobResult{dispatch->token, a_record(dispatch->spec, Verdict::kRobust)});
  EXPECT_EQ(worker.wait_for<ResultAck>()->outcome, AckKind::kDup);

  client.send(Watch{});
  const auto finished = client.wait_for<Finished>();
  ASSERT_TRUE(finished);
  ASSERT_THAT(finished->jobs, SizeIs(1));
  EXPECT_EQ(finished->jobs[0].record->verdict, Verdict::kRobust);
  client.send(StatusRequest{});
  EXPECT_EQ(client.wait_for<StatusReply>()->jobs.at("done"), 1U);
  check();
}

TEST_F(CoordinatorProcess, EndsCleanlyWhenAsked) {
  Client client(context_, endpoint("clients"));
  submit(client, a_job("a"));
  const auto status = end(SIGTERM);
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->success()) << status->text();
  EXPECT_THAT(log_text(), HasSubstr("ready"));
  check(false);
}

TEST_F(CoordinatorProcess, SurvivesNonsenseAndSaysSo) {
  Worker worker(context_, endpoint("workers"));
  Client client(context_, endpoint("clients"));
  for (const std::string& bytes : {std::string(), std::string("\xc1"), std::string(1 << 20, '\x91'),
                                   pack_message(ToWorkerMessage(WhoAreYou{})), std::string("\x81\xa4type\xa4NONE")}) {
    worker.send_bytes(bytes);
    EXPECT_EQ(worker.wait_for<Reject>()->code, RejectCode::kMalformed);
    client.send_bytes(bytes);
    EXPECT_EQ(client.wait_for<Reject>()->code, RejectCode::kMalformed);
  }
  submit(client, a_job("a"));
}

TEST_F(CoordinatorProcess, AFollowerAdoptsWhatRunsAfterAKill) {
  Client client(context_, endpoint("clients"));
  Worker worker(context_, endpoint("workers"));
  submit(client, a_job("a"));
  worker.send(a_hello());
  const auto dispatch = take(worker);
  ASSERT_TRUE(dispatch);
  client.send(StatusRequest{});
  ASSERT_TRUE(client.wait_for<StatusReply>());
  ASSERT_TRUE(end(SIGKILL));
  start();

  Worker again(context_, endpoint("workers"));
  again.send(a_beat(0, {{dispatch->token, Phase::kRunning}}));
  ASSERT_TRUE(again.wait_for<WhoAreYou>());
  again.send(a_hello({{dispatch->token, Phase::kRunning}}));
  const auto welcome = again.wait_for<Welcome>();
  ASSERT_TRUE(welcome);
  EXPECT_EQ(welcome->epoch, 2U);
  EXPECT_THAT(welcome->revoked, IsEmpty());
  again.send(JobResult{dispatch->token, a_record(dispatch->spec, Verdict::kCorrect)});
  EXPECT_EQ(again.wait_for<ResultAck>()->outcome, AckKind::kStored);
  check();
}

TEST_F(CoordinatorProcess, TheDeposedOneEndsAtOnceWithItsOwnCode) {
  Client client(context_, endpoint("clients"));
  submit(client, a_job("a"));
  store::RedisStoreOptions options;
  options.address = server_->address();
  options.queue = "q";
  store::RedisJobStore other(options);
  ASSERT_TRUE(other.takeover({}));
  client.send(a_job("b").message());
  const auto status = coordinator_->wait(kPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 75);
  check(false);
}

TEST_F(CoordinatorProcess, AnswersNothingWhileRedisIsDeadAndGoesOnAfterwards) {
  Client client(context_, endpoint("clients"));
  Worker worker(context_, endpoint("workers"));
  submit(client, a_job("a"));
  worker.send(a_hello());
  const auto dispatch = take(worker);
  ASSERT_TRUE(dispatch);
  client.send(StatusRequest{});
  ASSERT_TRUE(client.wait_for<StatusReply>());
  server_->kill();
  worker.send(JobResult{dispatch->token, a_record(dispatch->spec, Verdict::kCorrect)});
  client.send(a_job("b").message());
  server_->start();
  EXPECT_EQ(worker.wait_for<ResultAck>()->outcome, AckKind::kStored);
  const auto submitted = client.wait_for<Submitted>();
  ASSERT_TRUE(submitted);
  acknowledged_[submitted->submit_key] = submitted->job;
  check(false);
}

TEST_F(CoordinatorProcess, AWorkerThatServedAHigherEpochIsFollowedAboveIt) {
  Worker worker(context_, endpoint("workers"));
  Hello hello = a_hello();
  hello.max_epoch = 41;
  // The first HELLO makes it take over again, which forgets every session: a worker repeats what is not answered.
  std::optional<Welcome> welcome;
  for (int i = 0; i < 40 && !welcome; ++i) {
    worker.send(hello);
    welcome = worker.wait_for<Welcome>(500ms);
  }
  ASSERT_TRUE(welcome);
  EXPECT_EQ(welcome->epoch, 42U);
}

TEST_F(CoordinatorProcess, RunsManyJobsThroughKillsOfTheCoordinator) {
  constexpr int kJobs = 60;
  Client client(context_, endpoint("clients"));
  auto worker = std::make_unique<Worker>(context_, endpoint("workers"));
  for (int i = 0; i < kJobs; ++i) submit(client, a_job(std::to_string(i)));
  worker->send(a_hello());
  int done = 0;
  int kills = 0;
  while (done < kJobs) {
    worker->send(a_beat(1));
    const auto dispatch = worker->wait_for<Dispatch>();
    ASSERT_TRUE(dispatch);
    const JobResult result{dispatch->token, a_record(dispatch->spec, Verdict::kCorrect)};
    worker->send(result);
    if (done % 20 == 10 && kills == done / 20) {
      ++kills;
      ASSERT_TRUE(end(SIGKILL));
      start();
      worker = std::make_unique<Worker>(context_, endpoint("workers"));
      worker->send(a_hello());
      ASSERT_TRUE(worker->wait_for<Welcome>());
      worker->send(result);  // resent until it is acknowledged: STORED or DUP, whatever the first one met
    }
    const auto ack = worker->wait_for<ResultAck>();
    ASSERT_TRUE(ack);
    ASSERT_NE(ack->outcome, AckKind::kStale);
    ++done;
  }
  EXPECT_EQ(kills, 3);
  check();
}

TEST_F(CoordinatorProcess, SaysWhatIsWrongAndLeaves) {
  ASSERT_TRUE(end(SIGTERM));
  auto connection = server_->connect();
  ASSERT_TRUE(connection.command({"CONFIG", "SET", "appendfsync", "no"}));
  start();
  const auto status = coordinator_->wait(kPatience);
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 2);
  EXPECT_THAT(system::read_file(server_->folder() / "coordinator.err", 1U << 20U).value_or(""),
              HasSubstr("appendfsync no"));
}

}  // namespace
}  // namespace autokernel::test
