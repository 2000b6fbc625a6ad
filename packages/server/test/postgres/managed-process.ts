import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import type { Account } from './unprivileged-account.ts'

/** A program that can be killed and started again. Its output goes to a file. */
export interface ManagedProcess {
  readonly pid: number | undefined
  start(): void
  kill(signal: NodeJS.Signals): Promise<void>
}

interface ManagedProcessOptions {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly log: string
  readonly account: Account | undefined
}

/** Killed when this process exits, so that a failed test leaves none behind. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

export function createManagedProcess({ program, args, cwd, log, account }: ManagedProcessOptions): ManagedProcess {
  let child: ChildProcess | undefined
  return {
    get pid() {
      return child?.pid
    },
    start() {
      const output = openSync(log, 'a')
      const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: cwd, LANG: 'C.UTF-8', PYTHONDONTWRITEBYTECODE: '1' }
      const started = spawn(program, args, { ...account, cwd, env, stdio: ['ignore', output, output] })
      closeSync(output)
      running.add(started)
      started.once('exit', () => running.delete(started))
      child = started
    },
    async kill(signal) {
      const killed = child
      child = undefined
      if (!killed || killed.exitCode !== null || killed.signalCode !== null) return
      const exited = once(killed, 'exit')
      killed.kill(signal)
      await exited
    },
  }
}
