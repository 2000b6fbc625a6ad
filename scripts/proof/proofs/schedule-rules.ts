import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { repositoryRoot } from '../../repository.ts'
import { atLeast, exactly } from '../figure.ts'
import type { Proof } from '../proof.ts'
import type { ProofRun } from '../proof-run.ts'

const fullZones = 420
const years = 10

/** Properties of the rules against independent models, and of what changes and deletions of schedules leave behind. */
const files = [
  'packages/server/test/schedule',
  'packages/server/src/domains/deployments/plan-runs.test.ts',
  'packages/server/src/services/scheduler.test.ts',
  'packages/server/test/scheduler-replicas.test.ts',
]

async function run(run: ProofRun) {
  const zones = run.size >= 1 ? 'all' : String(Math.max(25, run.amount))
  const vitest = join(repositoryRoot, 'node_modules', 'vitest', 'vitest.mjs')
  const args = [vitest, 'run', '--project', 'code', ...files, '--reporter=tap-flat', '--testTimeout', '600000']
  const child = spawn(process.execPath, args, {
    cwd: repositoryRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, SCHEDULE_ZONES: zones, SCHEDULE_YEARS: String(years), SCHEDULE_FROM: '2025' },
  })
  run.defer(() => child.kill('SIGKILL'))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      output += piece.toString()
    })
  }
  const [code] = await once(child, 'close')
  run.record('vitest.log', output)
  const count = (pattern: RegExp) => output.match(pattern)?.length ?? 0
  run.amountText = `${zones} zones and ${years} years`
  return [
    exactly('properties that fail', count(/^not ok /gm), 0),
    atLeast('properties that hold', count(/^ok (?!.*# SKIP)/gm), 100),
    exactly('exit code', Number(code), 0),
  ]
}

export const scheduleRules: Proof = {
  id: 'R6',
  promise: 'schedules fire at the right times across clock changes, and changed or deleted schedules leave no run behind',
  databases: ['none'],
  full: { amount: fullZones, unit: 'zones' },
  usualSize: 0.15,
  method: `Property tests compare random cron, interval and RRULE schedules with independent models, in eight days around each change of the clock of every zone in ${years} years. Others pause, change and delete deployments and schedules while several servers plan.`,
  failure: 'A schedule fires at another time than the model, twice or not at all, or a run of a changed or deleted schedule remains.',
  run,
}
