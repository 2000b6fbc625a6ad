import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ServerProcess } from '../server-process.ts'
import { allAttacks } from './all-attacks.ts'
import { onJsonLine } from './target.ts'

/** Servers under attack have this password; otherwise it could not be guessed. */
export const attackedPassword = 'user:correct horse battery staple'

export interface AttackFigures {
  /** Times of the health calls, one after the other, in milliseconds. */
  readonly healthMs: readonly number[]
  readonly failedHealthCalls: number
  readonly peakMemoryMb: number
  readonly rounds: ReadonlyMap<string, number>
  /** How rounds ended that were no answer, with their number. */
  readonly problems: ReadonlyMap<string, number>
}

export interface MeasureOptions {
  readonly seconds: number
  /** All by default. */
  readonly attacks?: readonly string[]
  readonly signal?: AbortSignal
}

interface Line {
  readonly ready?: true
  readonly attack?: string
  readonly problem?: string
}

/** Attacks a server with all attacks at once, and measures how it answers health calls and how much memory it takes. */
export async function measureUnderAttack(
  { url, child }: Pick<ServerProcess, 'url' | 'child'>,
  { seconds, attacks = Object.keys(allAttacks), signal }: MeasureOptions,
): Promise<AttackFigures> {
  const rounds = new Map(attacks.map((name) => [name, 0]))
  const problems = new Map<string, number>()
  const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  const argument = JSON.stringify({ url, password: attackedPassword, names: attacks })
  const attacker = spawn(process.execPath, [fileURLToPath(new URL('attacker.ts', import.meta.url)), argument], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => attacker.once('exit', () => resolve()))
  const ready = new Promise<void>((resolve) => {
    onJsonLine<Line>(attacker.stdout, ({ ready: isReady, attack, problem }) => {
      if (isReady) resolve()
      if (attack !== undefined) add(rounds, attack)
      if (problem !== undefined) add(problems, problem)
    })
  })
  const pid = child.pid as number
  let peak = 0
  const sample = setInterval(() => {
    peak = Math.max(peak, residentMb(pid))
  }, 50)
  const healthMs: number[] = []
  let failedHealthCalls = 0
  const agent = new Agent({ keepAlive: true })
  try {
    await Promise.race([ready, ended])
    const began = performance.now()
    while (performance.now() - began < seconds * 1000) {
      signal?.throwIfAborted()
      const before = performance.now()
      if (!(await isHealthy(url, agent))) failedHealthCalls += 1
      healthMs.push(performance.now() - before)
      await pause(5)
    }
  } finally {
    clearInterval(sample)
    agent.destroy()
    attacker.kill('SIGKILL')
    await ended
  }
  return { healthMs, failedHealthCalls, peakMemoryMb: peak, rounds, problems }
}

const isHealthy = (url: string, agent: Agent): Promise<boolean> =>
  new Promise((resolve) => {
    get(`${url}/api/health`, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode === 200))
    }).on('error', () => resolve(false))
  })

/** Resident memory with mapped files, as the operating system counts it. 0 once the process has ended. */
function residentMb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
