import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Starts a script again with more flags for Node, in place of this process. Never returns. */
export async function restartWith(flags, script) {
  const args = [...flags, ...process.execArgv, script, ...process.argv.slice(2)]
  // The same process with another program: its id, its files and its signals stay, and its exit code is that of the server.
  if (process.platform !== 'win32' && process.execve) process.execve(process.execPath, [process.execPath, ...args], process.env)
  process.exit(await runChild(args))
}

/** On Windows a process cannot become another one. */
function runChild(args) {
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}
