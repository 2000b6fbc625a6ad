import { causeEvent } from '../workload/set-up.ts'
import type { World } from '../workload/world.ts'
import { expect, expectNone } from './violation.ts'

/** Invariants of everything that was ever written. */
export function checkHistory(world: World): void {
  checkSchedules(world)
  checkAcknowledged(world)
  checkStateEvents(world)
  checkStorm(world)
}

function checkSchedules({ shared }: World): void {
  expectNone(
    'one run per schedule and time',
    shared.rows(
      `select r.deployment_id, json_extract(s.state_details, '$.scheduled_time') as time, count(*) as runs
        from flow_run r join flow_run_state s on s.flow_run_id = r.id and s.type = 'SCHEDULED' and s.message = 'Flow run scheduled'
        where r.auto_scheduled group by 1, 2 having runs > 1`,
    ),
    'several runs of one schedule and time',
  )
}

function checkAcknowledged({ shared, ledger }: World): void {
  const has = (sql: string, value: string) => shared.rows(sql, value).length > 0
  const expectKept = (what: string, values: Iterable<string>, sql: string) => {
    for (const value of values) expect('acknowledged writes', has(sql, value), () => `${what} ${value} was acknowledged and is gone`)
  }
  expectKept('the flow run', ledger.flowRuns, 'select 1 from flow_run where id = ?')
  expectKept('the event', ledger.events, 'select 1 from event where id = ?')
  expectKept('the log', ledger.logs, 'select 1 from log where message = ?')
  expectNone(
    'no write is applied twice',
    shared.rows(`select message, count(*) as copies from log group by message having copies > 1`),
    'a log that was sent once',
  )
  expectNone(
    'no write is applied twice',
    shared.rows(`select name, count(*) as runs from flow_run where deployment_id is null group by name having runs > 1`),
    'a run that was created once',
  )
  expectKept('the variable', ledger.variables.keys(), 'select 1 from variable where name = ?')
  const states = 'select 1 from flow_run_state where id = ?1 union all select 1 from task_run_state where id = ?1'
  expectKept('the state', ledger.states.keys(), states)
}

/** Runs of a schedule begin without an event, as in the reference. */
const isPlanned = `s.type = 'SCHEDULED' and json_extract(s.state_details, '$.flow_run_id') is null`

function checkStateEvents({ shared }: World): void {
  const invariant = 'events match states'
  expectNone(
    invariant,
    shared.rows(`select s.id, s.name from flow_run_state s where not (${isPlanned}) and not exists (select 1 from event e where e.id = s.id)`),
    'states without an event',
  )
  expectNone(
    invariant,
    shared.rows(
      `select e.id, e.event from event e where e.event like 'prefect.flow-run.%' and e.event <> 'prefect.flow-run.heartbeat'
        and exists (select 1 from flow_run r where r.id = substr(e.resource_id, 18)) and not exists (select 1 from flow_run_state s where s.id = e.id)`,
    ),
    // A paused deployment deletes its planned runs, with their states.
    'events without a state',
  )
  expectNone(
    'current state',
    shared.rows(
      `select r.id, r.state_name, (select s.name from flow_run_state s where s.flow_run_id = r.id order by s.rowid desc limit 1) as latest
        from flow_run r where r.state_id is not (select s.id from flow_run_state s where s.flow_run_id = r.id order by s.rowid desc limit 1)`,
    ),
    'the state of the run is not its latest one',
  )
}

/** Invariants once nothing is left to do. */
export function checkQuiescent(world: World): void {
  const { shared, ledger } = world
  const positions = shared.rows<{ position: number }>('select position from event order by position').map(({ position }) => position)
  for (const received of ledger.received) {
    const missing = positions.find((position, n) => received[n] !== position)
    expect('cursors never skip', missing === undefined, () => `a subscriber did not receive the event ${missing}`)
  }
  expectNone(
    'slots are released',
    shared.rows(
      `select c.holder_id, r.state_name from concurrency_lease c join flow_run r on r.id = c.holder_id
        where r.state_type in ('COMPLETED', 'FAILED', 'CANCELLED', 'CRASHED')`,
    ),
    'leases of runs that have ended',
  )
  for (const [id, final] of ledger.taskRuns) {
    const [row] = shared.rows<{ state_type: string }>('select state_type from task_run where id = ?', id)
    // The server ends the tasks of a cancelled run, and a task event that occurred before is history.
    expect(
      'order of task events',
      row?.state_type === final || row?.state_type === 'CANCELLED',
      () => `task run ${id} is ${row?.state_type}, and its last event is ${final}`,
    )
  }
  checkFirings(world)
}

/** Automations that match every event cause a limited number of events. */
function checkStorm({ shared }: World): void {
  const [row] = shared.rows<{ automatic: number; others: number }>(
    `select count(*) filter (where event like 'prefect.automation.%') as automatic, count(*) filter (where event not like 'prefect.automation.%') as others
      from event`,
  )
  const { automatic = 0, others = 0 } = row ?? {}
  expect('no automation storm', automatic <= 100 + 7 * others, () => `${automatic} events of automations for ${others} other events`)
}

/** Every automation fires once for each event that it waits for, and every firing executes its action once. */
function checkFirings({ shared }: World): void {
  const invariant = 'automations fire once per cause'
  expectNone(
    invariant,
    shared.rows(
      `select a.name, e.id as cause, count(t.id) as firings from automation a join event e on e.event = '${causeEvent}'
          and a.name in ('react', 'observe')
        left join event t on t.event = 'prefect.automation.triggered' and t.resource_id = 'prefect.automation.' || a.id
          and json_extract(t.payload, '$.triggering_event.id') = e.id
        group by a.id, e.id having firings <> 1`,
    ),
    'a cause without exactly one firing',
  )
  expectNone(
    invariant,
    shared.rows(
      `select json_extract(payload, '$.invocation') as invocation, count(*) as executions from event
        where event in ('prefect.automation.action.executed', 'prefect.automation.action.failed') group by invocation having executions > 1`,
    ),
    'an action that was executed several times',
  )
  expectNone(
    invariant,
    shared.rows(
      `select causes, runs from (select (select count(*) from event where event = '${causeEvent}') as causes,
        (select count(*) from flow_run where json_extract(created_by, '$.type') = 'AUTOMATION') as runs) where causes <> runs`,
    ),
    'an automation that starts a run for each cause started another number of runs',
  )
}
