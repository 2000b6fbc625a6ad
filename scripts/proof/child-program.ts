import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ProofRun } from './proof-run.ts'

export interface ChildProgram {
  readonly child: ChildProcess
  readonly ended: Promise<void>
  /** Kills it with SIGKILL and waits for its end. All lines that it wrote before have been passed on then. */
  kill(): Promise<void>
}

/** Starts a program of `scripts/proof/programs` as a process of its own, with one argument as JSON. It reports by lines of JSON. */
export function startProgram<Line>(run: ProofRun, name: string, argument: object, onLine: (line: Line) => void): ChildProgram {
  const script = fileURLToPath(new URL(`programs/${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify(argument)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => onLine(JSON.parse(line)))
  const ended = Promise.all([new Promise((resolve) => child.once('exit', resolve)), new Promise((resolve) => lines.once('close', resolve))]).then(
    () => {},
  )
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  run.defer(kill)
  return { child, ended, kill }
}
