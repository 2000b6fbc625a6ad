/** A deployment of the seed and how its runs go. */
interface DeploymentSpec {
  readonly flow: string
  readonly deployment: string
  readonly pool: string | null
  readonly tags: string[]
  readonly everyMinutes: number
  readonly seconds: readonly [number, number]
  readonly failShare: number
  readonly parameters: Record<string, unknown>
}

export const deploymentSpecs: readonly DeploymentSpec[] = [
  {
    flow: 'ingest-orders',
    deployment: 'every-15-min',
    pool: 'kubernetes',
    tags: ['prod', 'orders'],
    everyMinutes: 15,
    seconds: [40, 190],
    failShare: 0.04,
    parameters: { region: 'eu', batch_size: 500 },
  },
  {
    flow: 'sync-crm',
    deployment: 'half-hourly',
    pool: 'kubernetes',
    tags: ['prod', 'crm'],
    everyMinutes: 30,
    seconds: [20, 90],
    failShare: 0.12,
    parameters: { full: false },
  },
  {
    flow: 'refresh-features',
    deployment: 'hourly',
    pool: 'kubernetes',
    tags: ['ml'],
    everyMinutes: 60,
    seconds: [300, 900],
    failShare: 0.05,
    parameters: { horizon_days: 28 },
  },
  {
    flow: 'warehouse-load',
    deployment: 'nightly',
    pool: 'process',
    tags: ['prod', 'warehouse'],
    everyMinutes: 240,
    seconds: [2400, 5400],
    failShare: 0,
    parameters: { tables: ['orders', 'customers', 'shipments'] },
  },
  {
    flow: 'render-reports',
    deployment: 'two-hourly',
    pool: 'process',
    tags: ['reports'],
    everyMinutes: 120,
    seconds: [60, 240],
    failShare: 0.1,
    parameters: { format: 'pdf' },
  },
  {
    flow: 'check-heartbeats',
    deployment: 'every-20-min',
    pool: 'process',
    tags: ['ops'],
    everyMinutes: 20,
    seconds: [2, 9],
    failShare: 0,
    parameters: {},
  },
  {
    flow: 'train-forecast',
    deployment: 'gpu',
    pool: 'gpu',
    tags: ['ml', 'gpu'],
    everyMinutes: 360,
    seconds: [3000, 7000],
    failShare: 0.2,
    parameters: { model: 'tft', epochs: 40 },
  },
]
