// What the host asks of init: start a program, signal one, make a socket, end.
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>

#include "../common/channel.h"
#include "init.h"

namespace sbx {
namespace {

void Activate(Init& init, const ActivateRecord& record) {
  Program* program = init.programs.FindById(record.programId);
  if (program == nullptr || program->exited) return;  // its end has been told, or is about to be
  program->ahead = false;
  program->SetLimits(record);
  init.programs.RestartCpu(*program, record.cpuBaseNs);
  const int64_t now = sys::MonotonicNs();
  StartClocks(*program, record.startNs < (uint64_t)now ? (int64_t)record.startNs : now);
}

void Signal(Init& init, const SignalRecord& record) {
  Program* program = init.programs.FindById(record.programId);
  if (program == nullptr || program->exited || record.signal < 0 || record.signal > 64) return;
  Note(*program, record.cause);
  if (record.everything != 0) SignalEverything(init, *program, record.signal);
  else (void)sys::Kill(program->pid, record.signal);
}

// Of what a program sends and the host does not read, in one socket; the kernel doubles it for its headers.
// Else it may grow to net.ipv4.tcp_rmem, 32 MiB on some machines, and no limit of the program holds it: the
// socket is not its own.
constexpr int kUnreadBytesMax = 128 << 10;

// The host connects it: nothing that a program does can keep us waiting.
void MakeSocket(const Init& init, const MakeSocketRecord& record) {
  Fd made(sys::Socket(record.ipv6 != 0 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK));
  int error = made ? 0 : -made.get();
  if (made) error = -sys::SetSocketOption(made.get(), SOL_SOCKET, SO_RCVBUF, kUnreadBytesMax);
  SocketRecord answer;
  answer.requestId = record.requestId;
  answer.errorNumber = error;
  const int beside = made.get();
  (void)Send(init.channel.get(), &answer, sizeof(answer), &beside, error == 0 ? 1 : 0);
}

}  // namespace

void SettleLaunch(Init& init, Program& program) {
  Failure failure;
  const long size = sys::Read(program.launching.get(), &failure, sizeof(failure));
  if (size == -EAGAIN) return;
  program.launching.reset();
  if (size != sizeof(failure)) return Announce(init, program);
  init.programs.RememberCpu(program);
  Report(init.channel.get(), failure, program.id);
  program.failed = true;
  (void)sys::Kill(program.pid, SIGKILL);  // others may have stopped it on its way out
}

void SettleLaunches(Init& init) {
  for (Program& program : init.programs)
    if (program.launching) SettleLaunch(init, program);
}

Heard Hear(Init& init, int flags, Starting& starting) {
  Received received;
  char* message = init.helper.message;
  Receive(init.channel.get(), message, kMessageBytesMax, received, flags);
  if (received.size == -EAGAIN) return Heard::kHandled;
  const auto& head = *reinterpret_cast<const Head*>(message);
  if (received.size < (long)sizeof(Head) || received.truncated || head.version != kRecordVersion)
    return Heard::kEnd;
  switch (head.kind) {
    case Kind::kStart: TakeStart(init, received, starting); return Heard::kStart;
    case Kind::kActivate:
      if (received.size == sizeof(ActivateRecord))
        Activate(init, *reinterpret_cast<const ActivateRecord*>(message));
      return Heard::kHandled;
    case Kind::kSignal:
      if (received.size == sizeof(SignalRecord))
        Signal(init, *reinterpret_cast<const SignalRecord*>(message));
      return Heard::kHandled;
    case Kind::kMakeSocket:
      if (received.size == sizeof(MakeSocketRecord))
        MakeSocket(init, *reinterpret_cast<const MakeSocketRecord*>(message));
      return Heard::kHandled;
    default: return Heard::kEnd;
  }
}

bool HandleMessage(Init& init) {
  Starting starting;
  const Heard heard = Hear(init, MSG_DONTWAIT, starting);
  if (heard != Heard::kStart) return heard == Heard::kHandled;
  if (!starting.failure) {
    Program& program = *starting.program;
    starting.failure = LaunchProgram(
        starting.launch, IdentityOf(init), init.programs.alive() > 0, program.pid, program.launching);
  }
  FinishStart(init, starting);
  return true;
}

}  // namespace sbx
