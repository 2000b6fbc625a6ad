import { type Statement, statement } from '../../storage/database.ts'
import { type Check, countText, type Finding, repairCommand, type Severity, statementRepair } from '../finding.ts'

interface OrphanRule {
  readonly severity: Severity
  readonly noun: string
  /** Completes "3 actions …". */
  readonly what: string
  readonly why: string
  readonly table: string
  readonly condition: string
  /** SQL before `where`. */
  readonly change: string
  readonly title: string
}

/** Rows that no foreign key covers. Rows that the server removes by itself when their time comes are not listed. */
const rules: readonly OrphanRule[] = [
  {
    severity: 'error',
    noun: 'queued action',
    what: 'belong to a firing that does not exist',
    why: 'They can never be executed, and the service tries them again and again.',
    table: 'automation_invocation',
    condition: 'not exists (select 1 from automation_firing where automation_firing.id = automation_invocation.firing_id)',
    change: 'delete from automation_invocation',
    title: 'remove queued actions without a firing',
  },
  {
    severity: 'warning',
    noun: 'firing',
    what: 'of automations have no actions left',
    why: 'The rows stay forever.',
    table: 'automation_firing',
    condition: 'not exists (select 1 from automation_invocation where automation_invocation.firing_id = automation_firing.id)',
    change: 'delete from automation_firing',
    title: 'remove firings without actions',
  },
  {
    severity: 'error',
    noun: 'artifact key',
    what: 'name a latest artifact that does not exist',
    why: 'The page of the key answers 404.',
    table: 'artifact_collection',
    condition: 'not exists (select 1 from artifact where artifact.id = artifact_collection.latest_id)',
    change: 'delete from artifact_collection',
    title: 'remove artifact keys without an artifact',
  },
  {
    severity: 'info',
    noun: 'verdict',
    what: 'belong to runs that were deleted',
    why: 'They take space and are never shown.',
    table: 'verdict',
    condition: `not exists (select 1 from flow_run where flow_run.id = verdict.run_id) and not exists (select 1 from task_run where task_run.id = verdict.run_id)`,
    change: 'delete from verdict',
    title: 'remove verdicts of deleted runs',
  },
  {
    severity: 'warning',
    noun: 'deployment',
    what: 'name an infrastructure block that does not exist',
    why: 'Workers that read the block fail.',
    table: 'deployment',
    condition: `infrastructure_document_id is not null
      and not exists (select 1 from block_document where block_document.id = deployment.infrastructure_document_id)`,
    change: 'update deployment set infrastructure_document_id = null',
    title: 'clear the missing infrastructure block of deployments',
  },
  {
    severity: 'warning',
    noun: 'deployment',
    what: 'name a storage block that does not exist',
    why: 'Workers that read the block fail.',
    table: 'deployment',
    condition: `storage_document_id is not null
      and not exists (select 1 from block_document where block_document.id = deployment.storage_document_id)`,
    change: 'update deployment set storage_document_id = null',
    title: 'clear the missing storage block of deployments',
  },
]

interface PreparedRule extends OrphanRule {
  readonly count: Statement
  readonly repair: Statement
}

const prepared: readonly PreparedRule[] = rules.map((rule) => ({
  ...rule,
  count: statement(`select count(*) as count from ${rule.table} where ${rule.condition}`),
  repair: statement(`${rule.change} where ${rule.condition}`),
}))

export const orphans: Check = {
  name: 'orphans',
  summary: 'rows whose parent does not exist, where no foreign key covers them',
  async run({ db }) {
    const findings: Finding[] = []
    for (const { severity, noun, what, why, title, count, repair } of prepared) {
      const found = Number((await db.first<{ count: number }>(count))?.count ?? 0)
      if (found === 0) continue
      findings.push({
        severity,
        what: `${countText(found, noun)} ${what}.`,
        why,
        fix: repairCommand,
        repair: statementRepair(title, repair, 'row'),
      })
    }
    return findings
  },
}
