import type { SeededServer } from './seeded-server.ts'

/** Artifacts, variables, and limits with slots in use. */
export async function seedStoredData({ call }: SeededServer, flowRunId: string): Promise<void> {
  const table = JSON.stringify([
    { table: 'orders', rows: 81_204 },
    { table: 'customers', rows: 12_881 },
  ])
  await call('POST', '/artifacts/', {
    key: 'load-report',
    type: 'markdown',
    data: '# Load\n\nAll **well**.',
    description: 'What was loaded',
    flow_run_id: flowRunId,
  })
  await call('POST', '/artifacts/', { key: 'row-counts', type: 'table', data: table, description: 'Rows by table', flow_run_id: flowRunId })
  for (const [name, value] of [
    ['region', 'eu-central-1'],
    ['batch_size', 500],
    ['feature_flags', { fast_path: true, retries: 3 }],
  ] as const) {
    await call('POST', '/variables/', { name, value, tags: ['prod'] })
  }
  for (const [name, limit, active_slots] of [
    ['warehouse-writers', 5, 3],
    ['crm-api', 2, 2],
    ['gpu', 1, 0],
  ] as const) {
    await call('POST', '/v2/concurrency_limits/', { name, limit, active_slots })
  }
}
