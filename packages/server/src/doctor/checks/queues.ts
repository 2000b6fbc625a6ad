import { statement } from '../../storage/database.ts'
import { type Check, countText, type Finding, repairCommand, statementRepair } from '../finding.ts'

const poolsWithoutDefault = statement(
  `select id, name from work_pool
    where not exists (select 1 from work_queue where work_queue.id = work_pool.default_queue_id and work_queue.work_pool_id = work_pool.id)
    order by name limit 1000`,
)
const firstQueue = `(select work_queue.id from work_queue where work_queue.work_pool_id = work_pool.id
  order by case when work_queue.name = 'default' then 0 else 1 end, work_queue.priority, work_queue.id limit 1)`
const setDefault = statement(
  `update work_pool set default_queue_id = ${firstQueue}
    where not exists (select 1 from work_queue where work_queue.id = work_pool.default_queue_id and work_queue.work_pool_id = work_pool.id)
      and exists (select 1 from work_queue where work_queue.work_pool_id = work_pool.id)`,
)
const wrongQueueNames = `from flow_run where state_type = 'SCHEDULED' and work_queue_id is not null
  and exists (select 1 from work_queue where work_queue.id = flow_run.work_queue_id and work_queue.name <> flow_run.work_queue_name)`
const countWrongNames = statement(`select count(*) as count ${wrongQueueNames}`)
const correctNames = statement(
  `update flow_run set work_queue_name = (select name from work_queue where work_queue.id = flow_run.work_queue_id)
    where id in (select id ${wrongQueueNames})`,
)

export const queues: Check = {
  name: 'queues',
  summary: 'that each work pool has its default queue, and that scheduled runs name the queue they are in',
  async run({ db }) {
    const pools = await db.all<{ id: string; name: string }>(poolsWithoutDefault)
    const wrongNames = Number((await db.first<{ count: number }>(countWrongNames))?.count ?? 0)
    const names = pools.slice(0, 3).map(({ name }) => `"${name}"`)
    const findings: Finding[] = []
    if (pools.length > 0) {
      findings.push({
        severity: 'error',
        what: `${countText(pools.length, 'work pool')} (${names.join(', ')}) have no default queue.`,
        why: 'Deployments without a queue cannot be created in them.',
        fix: `${repairCommand} A pool without any queue needs one: \`millrace work-queue create\`.`,
        repair: statementRepair('make the first queue of each pool its default queue', setDefault, 'work pool'),
      })
    }
    if (wrongNames > 0) {
      findings.push({
        severity: 'warning',
        what: `${countText(wrongNames, 'scheduled flow run')} name another queue than the one they are in.`,
        why: 'Lists by queue name miss them.',
        fix: repairCommand,
        repair: statementRepair('correct the queue names of scheduled runs', correctNames, 'flow run'),
      })
    }
    return findings
  },
}
