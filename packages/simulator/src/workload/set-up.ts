import { Client } from './client.ts'
import type { World } from './world.ts'

export const poolName = 'pool'
export const globalLimitName = 'shared-resource'
export const limitedTag = 'limited'
export const causeEvent = 'simulation.cause'

/** Creates what the programs use, before the first fault. */
export async function setUp(world: World): Promise<void> {
  const { loop, network, plan, ids } = world
  const client = new Client(loop, network, 'setup')
  await new Promise<void>((resolve) => {
    client.run(async () => {
      const post = async (path: string, body: object) => (await client.retry({ method: 'POST', path, body })).body
      ids.flow = (await post('/flows/', { name: 'flow' })).id
      ids.queue = (await post('/work_pools/', { name: poolName, type: 'process' })).default_queue_id
      await post('/v2/concurrency_limits/', { name: globalLimitName, limit: plan.globalLimit })
      await post('/concurrency_limits/', { tag: limitedTag, concurrency_limit: plan.tagLimit })
      for (const { name, intervalSeconds, limit, collisionStrategy } of plan.deployments) {
        const deployment = await post('/deployments/', {
          name,
          flow_id: ids.flow,
          work_pool_name: poolName,
          schedules: [{ schedule: { interval: intervalSeconds, anchor_date: '2030-01-01T00:00:00Z' }, max_scheduled_runs: 5 }],
          concurrency_limit: limit,
          concurrency_options: limit === null ? null : { collision_strategy: collisionStrategy },
        })
        ids.deployments.push(deployment.id)
      }
      const trigger = { type: 'event', posture: 'Reactive', expect: [causeEvent], threshold: 1, within: 0 }
      const actions = [{ type: 'run-deployment', source: 'selected', deployment_id: ids.deployments[0] }]
      await post('/automations/', { name: 'react', trigger, actions })
      await post('/automations/', { name: 'observe', trigger, actions: [{ type: 'do-nothing' }] })
      // They react to each other.
      const matchAll = { type: 'event', posture: 'Reactive', expect: ['*'], threshold: 1, within: 0 }
      for (let n = 0; n < plan.catchAlls; n += 1)
        await post('/automations/', { name: `catch-all-${n}`, trigger: matchAll, actions: [{ type: 'do-nothing' }] })
      resolve()
    })
  })
}
