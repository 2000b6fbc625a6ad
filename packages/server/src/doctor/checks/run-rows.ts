import { earliestTime, type Micros } from '../../lib/time.ts'
import { type Statement, statement } from '../../storage/database.ts'
import type { ActingContext } from '../../storage/server-context.ts'
import { countText, type DoctorInput, type Finding, repairCommand, type Severity } from '../finding.ts'

/** A rule that the rows of runs keep. Its statements take no values, except `$1`: runs that were adopted before this time are left out. */
interface RunRule {
  readonly severity: Severity
  readonly what: (count: number) => string
  readonly why: string
  readonly count: Statement
  readonly title: string
  readonly repairs: readonly Statement[]
  readonly skipsAdopted?: boolean
}

type RunTable = 'flow_run' | 'task_run'
const nouns = { flow_run: 'flow run', task_run: 'task run' }

const lostState = (table: RunTable) =>
  `state_id is not null and not exists (select 1 from ${table}_state where ${table}_state.id = ${table}.state_id)`

const lostStateRule = (table: RunTable): RunRule => ({
  severity: 'error',
  what: (count) => `The history of ${countText(count, nouns[table])} lacks the current state.`,
  why: 'The page of the run shows a wrong history.',
  count: statement(`select count(*) as count from ${table} where ${lostState(table)}`),
  title: `add the current states to the histories of ${nouns[table]}s`,
  repairs: [
    statement(`insert into ${table}_state (id, ${table}_id, type, name, timestamp, message, data, state_details)
      select state_id, id, state_type, state_name, state_timestamp, state_message, state_data, state_details from ${table}
      where ${lostState(table)} and state_type is not null and state_name is not null and state_timestamp is not null and state_details is not null`),
  ],
})

const differs = (table: RunTable) => (distinct: string) =>
  ['type', 'name', 'timestamp', 'message'].map((column) => `${table}.state_${column} ${distinct} state.${column}`).join(' or ')

/** The state is of the run, and the run has its columns. */
function differentStateRule(table: RunTable): RunRule {
  const condition = (dialect: { readonly name: string }) => differs(table)(dialect.name === 'sqlite' ? 'is not' : 'is distinct from')
  const ofState = `from ${table}_state state where state.id = ${table}.state_id`
  return {
    severity: 'error',
    what: (count) => `The state columns of ${countText(count, nouns[table])} differ from the state in the history.`,
    why: 'Lists, counts and filters show another state than the page of the run.',
    count: statement(
      (dialect) => `select count(*) as count from ${table} join ${table}_state state on state.id = ${table}.state_id where ${condition(dialect)}`,
    ),
    title: `set the state columns of ${nouns[table]}s by their histories`,
    repairs: [
      statement(
        (
          dialect,
        ) => `update ${table} set state_type = state.type, state_name = state.name, state_timestamp = state.timestamp, state_message = state.message,
          state_data = state.data, state_details = state.state_details ${ofState} and (${condition(dialect)})`,
      ),
    ],
  }
}

const statesOf = (table: RunTable, condition: string) =>
  `(select count(*) from ${table}_state where ${table}_state.${table}_id = ${table}.id and ${condition})`
/** A resumed run continues its attempt. */
const fewestAttempts = `${statesOf('flow_run', "type = 'RUNNING'")} - ${statesOf('flow_run', "type = 'PAUSED'")}`
/** A run that crashed before it started has used an attempt. */
const mostAttempts = `${statesOf('flow_run', "type = 'RUNNING'")} + ${statesOf('flow_run', "name = 'AwaitingRetry'")}`
const mostTaskAttempts = statesOf('task_run', "type = 'RUNNING'")
const wrongFlowRunCount = `(run_count < ${fewestAttempts} or run_count > ${mostAttempts})`

const attemptRules: readonly RunRule[] = [
  {
    severity: 'warning',
    what: (count) => `The run_count of ${countText(count, 'flow run')} does not agree with the history.`,
    why: 'Retries are counted from it: a run gets too many or too few.',
    count: statement(`select count(*) as count from flow_run where created > $1 and ${wrongFlowRunCount}`),
    title: 'count the attempts of flow runs again',
    repairs: [
      statement(
        `update flow_run set run_count = case when run_count > ${mostAttempts} then ${mostAttempts} else ${fewestAttempts} end where created > $1 and ${wrongFlowRunCount}`,
      ),
    ],
    skipsAdopted: true,
  },
  {
    severity: 'warning',
    what: (count) => `The run_count of ${countText(count, 'task run')} is larger than the history says.`,
    why: 'Retries are counted from it: a run gets too few.',
    count: statement(`select count(*) as count from task_run where created > $1 and run_count > ${mostTaskAttempts}`),
    title: 'count the attempts of task runs again',
    repairs: [statement(`update task_run set run_count = ${mostTaskAttempts} where created > $1 and run_count > ${mostTaskAttempts}`)],
    skipsAdopted: true,
  },
]

const tagColumns = `value as tag, coalesce(flow_run.start_time, flow_run.expected_start_time) as started, flow_run.expected_start_time as expected, flow_run.id as flow_run_id`
const tagsOfRuns = (dialect: { readonly name: string }) =>
  `select distinct ${tagColumns} from flow_run cross join ${dialect.name === 'sqlite' ? 'json_each(flow_run.tags)' : 'jsonb_array_elements_text(flow_run.tags) as each_tag(value)'} where flow_run.tags <> '[]'`
const storedTags = 'select tag, started, expected, flow_run_id from flow_run_tag'

const tagRule: RunRule = {
  severity: 'error',
  what: (count) => `${countText(count, 'tag')} of flow runs ${count === 1 ? 'is' : 'are'} missing or wrong in the index of tags.`,
  why: 'Filters by tags miss these runs, or find others.',
  count: statement(
    (dialect) =>
      `select count(*) as count from (select * from (${tagsOfRuns(dialect)} except ${storedTags}) missing union all select * from (${storedTags} except ${tagsOfRuns(dialect)}) wrong) differences`,
  ),
  title: 'write the index of tags again',
  repairs: [
    statement(
      (dialect) =>
        `delete from flow_run_tag where (tag, flow_run_id) in (select tag, flow_run_id from (${storedTags} except ${tagsOfRuns(dialect)}) wrong)`,
    ),
    statement((dialect) => `insert into flow_run_tag (tag, started, expected, flow_run_id) ${tagsOfRuns(dialect)} except ${storedTags}`),
  ],
}

const unknownDeployment = `deployment_id is not null and not exists (select 1 from deployment where deployment.id = flow_run.deployment_id)`
const unstarted = `state_type = 'SCHEDULED' and start_time is null`

/** Runs that have started stay when their deployment is deleted, and keep its id. */
const deploymentRules: readonly RunRule[] = [
  {
    severity: 'error',
    what: (count) => `${countText(count, 'scheduled flow run')} ${count === 1 ? 'names' : 'name'} a deployment that does not exist.`,
    why: 'Workers cannot start them. A deployment that is deleted takes its scheduled runs with it.',
    count: statement(`select count(*) as count from flow_run where ${unstarted} and ${unknownDeployment}`),
    title: 'delete scheduled flow runs of missing deployments',
    repairs: [statement(`delete from flow_run where ${unstarted} and ${unknownDeployment}`)],
  },
  {
    severity: 'info',
    what: (count) => `${countText(count, 'flow run')} that started ${count === 1 ? 'names' : 'name'} a deployment that does not exist.`,
    why: 'The deployment was deleted, and its runs were kept.',
    count: statement(`select count(*) as count from flow_run where not (${unstarted}) and ${unknownDeployment}`),
    title: '',
    repairs: [],
  },
]

const rules: readonly RunRule[] = [
  lostStateRule('task_run'),
  differentStateRule('flow_run'),
  differentStateRule('task_run'),
  ...attemptRules,
  tagRule,
  ...deploymentRules,
]

const adopted = statement('select finished from adoption')

/** Compares the rows of all runs with their histories, tags and deployments. Each comparison is one statement, so that it sees the same commits everywhere. */
export async function checkRunRows({ db }: DoctorInput): Promise<Finding[]> {
  const since = (await db.first<{ finished: Micros | null }>(adopted))?.finished ?? earliestTime
  const findings: Finding[] = []
  for (const { severity, what, why, count, title, repairs, skipsAdopted } of rules) {
    const values = skipsAdopted ? [since] : []
    const found = Number((await db.first<{ count: number }>(count, values))?.count ?? 0)
    if (found === 0) continue
    const run = ({ commands }: ActingContext) =>
      commands.submit(async (tx) => {
        let changed = 0
        for (const repair of repairs) changed += await tx.run(repair, values)
        return `Changed ${countText(changed, 'row')}.`
      })
    findings.push({
      severity,
      what: what(found),
      why,
      fix: repairs.length > 0 ? repairCommand : 'Nothing.',
      ...(repairs.length > 0 ? { repair: { title, run } } : {}),
    })
  }
  return findings
}
