import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../../scripts/sim.ts', import.meta.url))

export interface SimOutput {
  readonly code: number
  readonly text: string
  readonly lastLine: string
}

/** Runs the simulator in a process of its own, because it replaces the clock and the timers of its process. */
export async function runSim(...args: string[]): Promise<SimOutput> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
  })
  child.stderr.on('data', (chunk) => {
    text += chunk
  })
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve(status ?? -1))
  })
  return { code, text, lastLine: text.trim().split('\n').at(-1) ?? '' }
}
