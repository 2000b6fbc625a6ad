import type { ResponseChecker } from './response-checker.ts'

/** Everything that is neither run nor work. */
export async function exerciseOtherRoutes(checker: ResponseChecker): Promise<void> {
  await exerciseServer(checker)
  await exerciseLimits(checker)
  await exerciseVariables(checker)
  await exerciseBlocks(checker)
  await exerciseEvents(checker)
  await exerciseAutomations(checker)
}

async function exerciseServer({ call }: ResponseChecker): Promise<void> {
  for (const path of ['/health', '/ready', '/hello', '/version', '/admin/version', '/admin/settings', '/admin/retention', '/metrics']) {
    await call('GET', path)
  }
  await call('GET', '/csrf-token?client=me')
  await call('POST', '/task_workers/filter', {})
  await call('GET', '/collections/views/aggregate-worker-metadata')
  await call('POST', '/ui/flow_runs/latest', {})
  await call('POST', '/ui/schedules/preview', { schedule: { cron: '0 9 * * *' }, count: 3 })
  await call('POST', '/ui/schemas/validate', { schema: { type: 'object', required: ['a'] }, values: {} })
}

async function exerciseLimits({ call }: ResponseChecker): Promise<void> {
  const limit = await call('POST', '/v2/concurrency_limits/', { name: 'stones', limit: 3 })
  await call('GET', `/v2/concurrency_limits/${limit.id}`)
  await call('POST', '/v2/concurrency_limits/filter', {})
  await call('GET', '/v2/concurrency_limits/stones/holders')
  await call('POST', '/v2/concurrency_limits/increment', { names: ['stones'], slots: 1 })
  await call('POST', '/v2/concurrency_limits/decrement', { names: ['stones'], slots: 1, occupancy_seconds: 2 })
  const { lease_id } = await call('POST', '/v2/concurrency_limits/increment-with-lease', { names: ['stones'], slots: 1, lease_duration: 60 })
  await call('POST', `/v2/concurrency_limits/leases/${lease_id}/renew`, { lease_duration: 60 })
  await call('POST', '/v2/concurrency_limits/decrement-with-lease', { lease_id })
  await call('PATCH', '/v2/concurrency_limits/stones', { limit: 4 })
  await call('DELETE', '/v2/concurrency_limits/stones')

  const byTag = await call('POST', '/concurrency_limits/', { tag: 'wet', concurrency_limit: 2 })
  await call('POST', '/concurrency_limits/', { tag: 'wet', concurrency_limit: 3 })
  await call('GET', `/concurrency_limits/${byTag.id}`)
  await call('GET', '/concurrency_limits/tag/wet')
  await call('POST', '/concurrency_limits/filter', {})
  const task_run_id = '00000000-0000-4000-8000-000000000001'
  await call('POST', '/concurrency_limits/increment', { names: ['wet'], task_run_id })
  await call('POST', '/concurrency_limits/decrement', { names: ['wet'], task_run_id })
  await call('POST', '/concurrency_limits/tag/wet/reset', {})
  await call('DELETE', '/concurrency_limits/tag/wet')
  const other = await call('POST', '/concurrency_limits/', { tag: 'dry', concurrency_limit: 2 })
  await call('DELETE', `/concurrency_limits/${other.id}`)
}

async function exerciseVariables({ call }: ResponseChecker): Promise<void> {
  const one = await call('POST', '/variables/', { name: 'wind', value: { force: [1, 2.5, null] }, tags: ['a'] })
  const two = await call('POST', '/variables/', { name: 'water', value: 'high' })
  await call('GET', `/variables/${one.id}`)
  await call('GET', '/variables/name/wind')
  await call('POST', '/variables/filter', {})
  await call('POST', '/variables/count', {})
  await call('PATCH', `/variables/${one.id}`, { value: 3 })
  await call('PATCH', '/variables/name/water', { value: null })
  await call('DELETE', '/variables/name/wind')
  await call('DELETE', `/variables/${two.id}`)

  const search = await call('PUT', '/saved_searches/', {
    name: 'late',
    filters: [{ object: 'flow_run', property: 'state', type: 'string', operation: 'equals', value: 'Late' }],
  })
  await call('GET', `/saved_searches/${search.id}`)
  await call('POST', '/saved_searches/filter', {})
  await call('DELETE', `/saved_searches/${search.id}`)
}

async function exerciseBlocks({ call }: ResponseChecker): Promise<void> {
  await call('POST', '/block_types/install_system_block_types')
  const type = await call('POST', '/block_types/', { name: 'Sluice', slug: 'sluice', description: 'Lets water in' })
  const schema = await call('POST', '/block_schemas/', {
    block_type_id: type.id,
    fields: {
      title: 'Sluice',
      type: 'object',
      properties: { width: { type: 'number' }, key: { type: 'string', format: 'password' } },
      secret_fields: ['key'],
      block_schema_references: {},
    },
    capabilities: ['write-path', 'read-path'],
    version: '1',
  })
  const document = await call('POST', '/block_documents/', {
    name: 'north',
    block_type_id: type.id,
    block_schema_id: schema.id,
    data: { width: 1.5, key: 'secret' },
  })
  await call('GET', `/block_types/${type.id}`)
  await call('GET', '/block_types/slug/sluice')
  await call('POST', '/block_types/filter', {})
  await call('PATCH', `/block_types/${type.id}`, { description: 'Lets water out' })
  await call('GET', `/block_schemas/${schema.id}`)
  await call('GET', `/block_schemas/checksum/${schema.checksum}`)
  await call('POST', '/block_schemas/filter', {})
  await call('GET', '/block_capabilities/')
  await call('GET', `/block_documents/${document.id}`)
  await call('GET', '/block_types/slug/sluice/block_documents')
  await call('GET', '/block_types/slug/sluice/block_documents/name/north')
  await call('POST', '/block_documents/filter', {})
  await call('POST', '/block_documents/count', {})
  await call('PATCH', `/block_documents/${document.id}`, { data: { width: 2 } })
  await call('PUT', '/admin/storage', { default_result_storage_block_id: document.id })
  await call('GET', '/admin/storage')
  await call('DELETE', '/admin/storage')
  await call('DELETE', `/block_documents/${document.id}`)
  await call('DELETE', `/block_schemas/${schema.id}`)
  await call('DELETE', `/block_types/${type.id}`)
}

async function exerciseEvents({ call }: ResponseChecker): Promise<void> {
  const occurred = '2030-01-01T00:00:00Z'
  await call('POST', '/events', [
    {
      id: '00000000-0000-4000-8000-000000000002',
      occurred,
      event: 'mill.turned',
      resource: { 'prefect.resource.id': 'mill.1', 'prefect.resource.name': 'mill' },
      related: [{ 'prefect.resource.id': 'river.1', 'prefect.resource.role': 'driver' }],
      payload: { turns: 3 },
    },
    { id: '00000000-0000-4000-8000-000000000003', occurred, event: 'mill.stopped', resource: { 'prefect.resource.id': 'mill.1' } },
  ])
  const filter = { occurred: { since: '2029-12-31T00:00:00Z', until: '2030-01-02T00:00:00Z' } }
  const page = await call('POST', '/events/filter', { filter, limit: 1 })
  await call('GET', `/events/filter/next${new URL(page.next_page).search}`)
  for (const countable of ['day', 'time', 'event', 'resource']) await call('POST', `/events/count-by/${countable}`, { filter })
}

async function exerciseAutomations({ call }: ResponseChecker): Promise<void> {
  const trigger = {
    type: 'event',
    posture: 'Reactive',
    threshold: 1,
    within: 60,
    expect: ['mill.stopped'],
    match: { 'prefect.resource.id': 'mill.*' },
  }
  const sent = {
    name: 'watch',
    trigger: { type: 'compound', require: 'all', within: 60, triggers: [trigger, { type: 'sequence', within: 30, triggers: [trigger, trigger] }] },
    actions: [{ type: 'do-nothing' }],
    owner_resource: 'prefect.deployment.x',
    tags: ['a'],
  }
  const automation = await call('POST', '/automations/', sent)
  await call('GET', `/automations/${automation.id}`)
  await call('GET', `/automations/${automation.id}/status`)
  await call('GET', '/automations/suspended')
  await call('POST', `/automations/${automation.id}/resume`)
  await call('PUT', `/automations/${automation.id}`, { ...sent, name: 'watched', owner_resource: undefined, tags: undefined })
  await call('PATCH', `/automations/${automation.id}`, { enabled: false })
  await call('POST', '/automations/filter', {})
  await call('POST', '/automations/count', {})
  await call('GET', '/automations/related-to/prefect.deployment.x')
  await call('DELETE', '/automations/owned-by/prefect.deployment.x')
  const other = await call('POST', '/automations/', { ...sent, owner_resource: undefined })
  await call('DELETE', `/automations/${other.id}`)
  await call('POST', '/templates/validate', '{{ event.id }}')
  await call('POST', '/automations/templates/validate', '{{ event.id }}')
}
