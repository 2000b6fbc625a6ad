import type { SeededServer } from './seeded-server.ts'

/** Automations and the block they notify. */
export interface SeedAutomations {
  readonly automation: string
  readonly block: string
  /** A failure event as its URL names it: `DAY/ID`. */
  readonly event: string
}

export async function seedAutomations({ call }: SeededServer, ids: { flow: string; deployment: string; run: string }): Promise<SeedAutomations> {
  // The server installs block types when it starts to listen, which is later.
  await call('POST', '/block_types/install_system_block_types')
  const newBlock = async (slug: string, name: string, data: object): Promise<string> => {
    const { id: block_type_id } = await call('GET', `/block_types/slug/${slug}`)
    const [schema] = await call('POST', '/block_schemas/filter', { block_schemas: { block_type_id: { any_: [block_type_id] } } })
    return (await call('POST', '/block_documents/', { name, data, block_schema_id: schema.id, block_type_id })).id
  }
  const block = await newBlock('slack-webhook', 'data-team', { url: 'https://hooks.example.com/data-team', notify_type: 'failure' })
  await newBlock('secret', 'crm-token', { value: 'hush' })
  const { id: automation } = await call('POST', '/automations/', {
    name: 'Tell the data team',
    description: 'A run of the CRM sync broke.',
    tags: ['prod'],
    trigger: {
      posture: 'Reactive',
      match: { 'prefect.resource.id': 'prefect.flow-run.*' },
      match_related: { 'prefect.resource.role': 'flow', 'prefect.resource.id': [`prefect.flow.${ids.flow}`] },
      expect: ['prefect.flow-run.Failed', 'prefect.flow-run.Crashed'],
      for_each: ['prefect.resource.id'],
    },
    actions: [
      { type: 'send-notification', block_document_id: block, subject: '{{ flow_run.name }} failed', body: '{{ flow_run|ui_url }}' },
      { type: 'pause-deployment', deployment_id: ids.deployment },
    ],
  })
  await call('POST', '/automations/', {
    name: 'Worker gone',
    enabled: false,
    trigger: {
      type: 'compound',
      require: 'any',
      within: 600,
      triggers: [
        {
          posture: 'Proactive',
          match: { 'prefect.resource.id': 'prefect.work-pool.*' },
          after: ['prefect.work-pool.not-ready'],
          expect: ['prefect.work-pool.*'],
          for_each: ['prefect.resource.id'],
          within: 300,
        },
        { posture: 'Proactive', expect: ['heartbeat.*'], match: { 'prefect.resource.id': 'pump.*' }, within: 120 },
      ],
    },
    actions: [{ type: 'pause-work-pool', source: 'inferred' }],
  })
  const resource = { id: [`prefect.flow-run.${ids.run}`] }
  const { events } = await call('POST', '/events/filter', { filter: { resource, event: { name: ['prefect.flow-run.Failed'] } }, limit: 1 })
  return { automation, block, event: `${events[0].occurred.slice(0, 10)}/${events[0].id}` }
}
