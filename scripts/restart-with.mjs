import { spawn } from 'node:child_process'
import { constants } from 'node:os'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Replaces this process by Node with more flags and the same script. Never returns. */
export async function restartWith(flags, script) {
  const args = [...flags, ...process.execArgv, script, ...process.argv.slice(2)]
  // The process id, open files and signals stay, and the exit code is that of the server.
  if (process.platform !== 'win32' && process.execve) process.execve(process.execPath, [process.execPath, ...args], process.env)
  process.exit(await runChild(args))
}

/** Windows cannot replace the program of a process. */
function runChild(args) {
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]))
  })
}
