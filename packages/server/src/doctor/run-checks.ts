import { clock } from './checks/clock.ts'
import { counts } from './checks/counts.ts'
import { indexes } from './checks/indexes.ts'
import { integrity } from './checks/integrity.ts'
import { names } from './checks/names.ts'
import { orphans } from './checks/orphans.ts'
import { postgres } from './checks/postgres.ts'
import { queues } from './checks/queues.ts'
import { readers } from './checks/readers.ts'
import { retention } from './checks/retention.ts'
import { server } from './checks/server.ts'
import { slots } from './checks/slots.ts'
import { states } from './checks/states.ts'
import { disk, permissions, secrets } from './checks/storage.ts'
import type { Check, DoctorInput, Finding } from './finding.ts'

/** All checks, in the order of their output. */
export const allChecks: readonly Check[] = [
  server,
  integrity,
  indexes,
  slots,
  states,
  counts,
  names,
  orphans,
  queues,
  readers,
  secrets,
  retention,
  postgres,
  clock,
  permissions,
  disk,
]

export interface CheckedFinding extends Finding {
  readonly check: string
}

/** Runs the checks one after the other. Those that need the tables of this version are left out while migrations are pending. */
export async function runChecks(input: DoctorInput, pending: readonly string[]): Promise<CheckedFinding[]> {
  const findings: CheckedFinding[] = []
  if (pending.length > 0) {
    findings.push({
      check: 'migrations',
      severity: 'warning',
      what: `The database lacks ${pending.length === 1 ? 'migration' : `${pending.length} migrations, from`} ${pending[0]}.`,
      why: 'A server of this version applies them when it starts. Most checks need them and were left out.',
      fix: '`millrace db plan` shows their cost, `millrace db migrate` applies them.',
    })
  }
  for (const { name, anySchema, run } of allChecks) {
    if (pending.length > 0 && !anySchema) continue
    for (const finding of await run(input)) findings.push({ check: name, ...finding })
    // A damaged file makes every other check fail, and so does a missing table or column.
    if (findings.some(({ endsChecks }) => endsChecks)) break
    if (name === 'integrity' && findings.some(({ check, severity, repair }) => check === 'integrity' && severity === 'error' && !repair)) break
  }
  return findings
}
