import { allAttacks } from '../../../packages/server/test/attacks/all-attacks.ts'
import { attackedPassword, measureUnderAttack } from '../../../packages/server/test/attacks/measure-attacks.ts'
import { below, exactly, type Figure, largest, observed, percentile } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'

async function run(run: ProofRun): Promise<Figure[]> {
  const env = { MILLRACE_SERVER_API_AUTH_STRING: attackedPassword }
  const server = await run.startServer(await run.newDatabase(), { env })
  const figures = await measureUnderAttack(server, { seconds: run.amount, signal: run.signal })
  const { healthMs, failedHealthCalls, peakMemoryMb, rounds, problems } = figures
  for (const [attack, count] of rounds) run.log(`${attack}: ${count} rounds`)
  for (const [problem, count] of problems) run.log(`${problem}: ${count}`)
  return [
    exactly('attacks that were made', [...rounds.values()].filter((count) => count > 0).length, Object.keys(allAttacks).length),
    exactly('health calls that failed', failedHealthCalls, 0),
    below('p99 of a health call', percentile(healthMs, 0.99), 100, 'ms'),
    below('longest health call', largest(healthMs), 500, 'ms'),
    below('largest memory of the server', peakMemoryMb, 400, 'MB'),
    observed('health calls', healthMs.length),
  ]
}

export const hostileClients: Proof = {
  id: 'R20',
  promise: 'clients that attack one server together do not stop it or fill its memory',
  databases: ['sqlite', 'postgres'],
  full: { amount: 300, unit: 'seconds' },
  method:
    'A server with a password and default settings. One process makes all attacks at once, in a loop: pipelined requests whose answers are never read, label patterns in automations, queries and subscriptions that take exponential or quadratic time, blocks that refer to others many times, searches in long names, names that no index takes, pages of logs with lines of a megabyte, guesses of the password, 200 events to 60 subscribers, and long messages before signing in. Meanwhile health calls are made one after the other.',
  failure: 'A health call fails, 1 % of them take 100 ms or more, one takes 500 ms or more, or the server takes 400 MB or more.',
  run,
}
