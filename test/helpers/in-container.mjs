// Opens an engine and runs one program. Arguments: URL of @sbx/core's index, `all` or `none` for what the
// engine requires.
const { Engine } = await import(process.argv[2]);

const options = process.argv[3] === 'none' ? { require: [] } : {};

async function tryRun() {
  const engine = await Engine.open(options);
  try {
    const { user, cgroup } = engine.info();
    const result = await engine.run('/bin/sh', ['-c', 'id -u; grep -c "CapEff:.0*$" /proc/self/status']);
    return { status: result.status, stdout: result.stdout.text(), mode: user.mode, cgroup: cgroup.version };
  } finally {
    await engine.close();
  }
}

const answer = await tryRun().catch(({ code, hint }) => ({ code, hint }));
process.stdout.write(JSON.stringify(answer));
