import { expect, test } from 'vitest'
import { eachDialect, type TestApp } from '../../../test/setup.ts'

eachDialect('flows', (setup) => {
  test('returns the existing flow for a used name', async () => {
    const app = await setup()
    const made = await create(app, { name: 'etl', tags: ['nightly'], labels: { team: 'data' } })
    expect(made).toMatchObject({ status: 201, body: { name: 'etl', tags: ['nightly'], labels: { team: 'data' } } })
    expect(await create(app, { name: 'etl', tags: ['other'] })).toMatchObject({ status: 200, body: made.body })
    expect((await app.call('POST', '/flows/count', {})).body).toBe(1)
  })

  test('keeps null labels and defaults to empty labels', async () => {
    const app = await setup()
    const { body: flow } = await create(app, { name: 'unlabelled', labels: null })
    expect(flow.labels).toBeNull()
    expect((await app.call('GET', `/flows/${flow.id}`)).body.labels).toBeNull()
    expect((await create(app, { name: 'silent' })).body.labels).toEqual({})
    const own = { 'prefect.flow.id': flow.id }
    const { body: deployment } = await app.call('POST', '/deployments/', { name: 'd', flow_id: flow.id, labels: null })
    expect(deployment.labels).toEqual(own)
    const { body: run } = await app.call('POST', '/flow_runs/', { flow_id: flow.id, labels: null })
    expect(run.labels).toEqual(own)
    const task = { flow_run_id: run.id, task_key: 't', dynamic_key: '0', labels: null }
    expect((await app.call('POST', '/task_runs/', task)).body.labels).toEqual({ ...own, 'prefect.flow-run.id': run.id })
  })

  test('finds a flow by id and by name with any characters', async () => {
    const app = await setup()
    const { body: flow } = await create(app, { name: 'a b ä' })
    expect((await app.call('GET', `/flows/${flow.id}`)).body).toEqual(flow)
    expect((await app.call('GET', `/flows/name/${encodeURIComponent('a b ä')}`)).body).toEqual(flow)
    expect((await app.call('GET', '/flows/name/a')).status).toBe(404)
  })

  test('updates the tags, or keeps them if they are missing', async () => {
    const app = await setup()
    const { body: flow } = await create(app, { name: 'etl', tags: ['old'] })
    expect((await app.call('PATCH', `/flows/${flow.id}`, { tags: ['new', 'newer'] })).status).toBe(204)
    const { body: changed } = await app.call('GET', `/flows/${flow.id}`)
    expect(changed).toMatchObject({ tags: ['new', 'newer'], created: flow.created })
    expect(changed.updated > flow.updated).toBe(true)
    await app.call('PATCH', `/flows/${flow.id}`, {})
    expect((await app.call('GET', `/flows/${flow.id}`)).body.tags).toEqual(['new', 'newer'])
  })

  test('deletes a flow with its runs and deployments', async () => {
    const app = await setup()
    const { body: flow } = await create(app, { name: 'etl' })
    const { body: run } = await app.call('POST', '/flow_runs/', { flow_id: flow.id })
    const { body: deployment } = await app.call('POST', '/deployments/', { name: 'd', flow_id: flow.id })
    expect((await app.call('DELETE', `/flows/${flow.id}`)).status).toBe(204)
    for (const path of [`/flows/${flow.id}`, `/flow_runs/${run.id}`, `/deployments/${deployment.id}`])
      expect((await app.call('GET', path)).status, path).toBe(404)
    expect((await app.call('DELETE', `/flows/${flow.id}`)).status).toBe(404)
  })

  test('deletes flows by filter up to a limit and returns their ids', async () => {
    const app = await setup()
    const ids: string[] = []
    for (const name of ['old-1', 'old-2', 'new']) ids.push((await create(app, { name })).body.id)
    const { body } = await app.call('POST', '/flows/bulk_delete', { flows: { name: { like_: 'old' } }, limit: 1 })
    expect(body.deleted).toHaveLength(1)
    expect(ids.slice(0, 2)).toContain(body.deleted[0])
    await app.call('POST', '/flows/bulk_delete', { flows: { name: { like_: 'old' } } })
    expect((await app.call('POST', '/flows/filter', {})).body.map(({ name }: { name: string }) => name)).toEqual(['new'])
  })

  test('paginates with a total count', async () => {
    const app = await setup()
    for (const name of ['c', 'a', 'b']) await create(app, { name })
    const { body } = await app.call('POST', '/flows/paginate', { sort: 'NAME_ASC', limit: 2, page: 2 })
    expect(body).toMatchObject({ results: [{ name: 'c' }], count: 3, limit: 2, pages: 2, page: 2 })
  })

  test('emits events with name, tags and labels', async () => {
    const app = await setup()
    const { body: flow } = await create(app, { name: 'etl', tags: ['t'], labels: { team: 'data' } })
    await app.call('PATCH', `/flows/${flow.id}`, { tags: [] })
    await app.call('DELETE', `/flows/${flow.id}`)
    const { body } = await app.call('POST', '/events/filter', { filter: { event: { prefix: ['prefect.flow.'] }, order: 'ASC' } })
    expect(body.events.map(({ event, resource, related, payload }: Record<string, unknown>) => ({ event, resource, related, payload }))).toEqual(
      (
        [
          ['created', ['t']],
          ['updated', []],
          ['deleted', []],
        ] as const
      ).map(([what, tags]) => ({
        event: `prefect.flow.${what}`,
        resource: { 'prefect.resource.id': `prefect.flow.${flow.id}`, 'prefect.resource.name': 'etl' },
        related: [],
        payload: { name: 'etl', tags, labels: { team: 'data' } },
      })),
    )
  })
})

const create = (app: TestApp, body: object) => app.call('POST', '/flows/', body)
