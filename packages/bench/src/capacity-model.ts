import { type Figure, type Figures, figureKey, type Results } from './results.ts'

/** What one operation costs at one number of users per server process. Times are in milliseconds. */
export interface Cost {
  readonly users: number
  readonly client: number
  readonly server: number
  readonly database: number
  /** Transactions. */
  readonly commits: number
}

/** How much more an operation costs on one of several servers than on a server that is alone with the database, with as many users for each process. */
type ShareFactors = Readonly<Record<'server' | 'database' | 'commits', number>>

/** Everything that the model knows of a workload. */
export interface CostCurve {
  /** By ascending number of users. More users share a transaction, so that an operation costs less. */
  readonly costs: readonly Cost[]
  /** Time of an operation of a single user in which nothing computes: it waits for the disk. */
  readonly waitMs: number
  /**
   * Share of the machine that clients, one server process and the database use together at most: they wait for each other and for the disk, so that all
   * cores are never busy at once. Calibrated with the point of 16 users.
   */
  readonly utilisation: number
  /** Bytes of the write-ahead log of an operation, with many users. */
  readonly walBytes: number
  /** One server of several does not commit with the message of its last writes. */
  readonly shareFactors: ShareFactors
}

/** One machine that runs clients, servers and the database. */
export interface SharedMachine {
  readonly cores: number
  readonly processes: number
  readonly users: number
}

/** How sharply the rate bends from "more users" to "all cores busy". */
const bend = 4

/** The rate of a closed loop on one machine, per second. `cost` replaces that of the curve where it was measured for this setup. */
export function predictRate(curve: CostCurve, setup: SharedMachine, cost = costAt(curve, setup.users / setup.processes)): number {
  // Cores are idle when all processes wait at once, which they do independently of each other.
  const utilisation = 1 - (1 - curve.utilisation) ** setup.processes
  const onCores = (setup.cores * utilisation) / totalMs(cost)
  return 1000 * combine([onCores, ...otherBounds(cost, curve.waitMs, setup)])
}

const totalMs = ({ client, server, database }: Cost): number => client + server + database

/** Bounds of the rate, per millisecond, beside that of the cores. */
const otherBounds = (cost: Cost, waitMs: number, { processes, users }: Omit<SharedMachine, 'cores'>): number[] => [
  // Each user waits for its own operation.
  users / (totalMs(cost) + waitMs),
  // A client and a server process compute on one thread each.
  1 / cost.client,
  processes / Math.max(cost.server, Number.EPSILON),
]

const combine = (bounds: readonly number[]): number => bounds.reduce((sum, bound) => sum + bound ** -bend, 0) ** (-1 / bend)

/** The utilisation with which the model gives the measured rate; 1 if the cores are not the limit. */
function calibrate(perMs: number, cost: Cost, waitMs: number, cores: number, users: number): number {
  const rest = perMs ** -bend - otherBounds(cost, waitMs, { processes: 1, users }).reduce((sum, bound) => sum + bound ** -bend, 0)
  const onCores = rest > 0 ? rest ** (-1 / bend) : Number.POSITIVE_INFINITY
  return Math.min(1, (onCores * totalMs(cost)) / cores)
}

/** Interpolates between measured numbers of users; costs fall with their power. Beyond the largest number nothing is gained. */
export function costAt({ costs }: Pick<CostCurve, 'costs'>, users: number): Cost {
  const upper = costs.find((cost) => cost.users >= users)
  const lower = costs.findLast((cost) => cost.users <= users)
  if (!lower || !upper || lower === upper) return (lower ?? upper ?? costs[0]) as Cost
  const share = Math.log(users / lower.users) / Math.log(upper.users / lower.users)
  const between = (a: number, b: number) => (a <= 0 || b <= 0 ? a + (b - a) * share : a * (b / a) ** share)
  return {
    users,
    client: between(lower.client, upper.client),
    server: between(lower.server, upper.server),
    database: between(lower.database, upper.database),
    commits: between(lower.commits, upper.commits),
  }
}

const figuresOf = (figures: Figures, workload: string): Figure[] =>
  Object.entries(figures)
    .filter(([key, figure]) => key === figureKey(workload, figure.users) && figure.failure === undefined && figure.cpu_ms && figure.per_second > 0)
    .map(([, figure]) => figure)
    .toSorted((a, b) => a.users - b.users)

/** Reads the costs of a workload from measured figures, also of a pair of servers. Undefined without the figures of one user and of several. */
export function costCurve(figures: Figures, workload: string, cores: number, pair: Figures = {}): CostCurve | undefined {
  const measured = figuresOf(figures, workload)
  const [single, largest] = [measured[0], measured.at(-1)]
  if (single?.users !== 1 || !largest || largest === single) return undefined
  const costs = measured.map(toCost)
  const waitMs = Math.max(0, 1000 / single.per_second - totalMs(costs[0] as Cost))
  const calibrated = measured.find(({ users }) => users >= calibrationUsers) ?? largest
  const available = availableCores(cores, calibrated)
  return {
    costs,
    waitMs,
    utilisation: calibrate(calibrated.per_second / 1000, toCost(calibrated), waitMs, available, calibrated.users),
    walBytes: largest.counters?.wal_bytes ?? 0,
    shareFactors: compareShared(costs, figuresOf(pair, workload).at(-1)),
  }
}

function compareShared(costs: readonly Cost[], pair: Figure | undefined): ShareFactors {
  if (!pair) return { server: 1, database: 1, commits: 1 }
  const [alone, shared] = [costAt({ costs }, pair.users / 2), toCost(pair)]
  const factor = (part: keyof ShareFactors) => (alone[part] > 0 ? Math.max(1, shared[part] / alone[part]) : 1)
  return { server: factor('server'), database: factor('database'), commits: factor('commits') }
}

const calibrationUsers = 16

/** Cores that other processes used are not available to the measurement. */
const availableCores = (cores: number, { foreign_cores = 0 }: Figure): number => Math.max(0.25, cores - foreign_cores)

const toCost = ({ users, client_cores, per_second, cpu_ms = {}, counters = {} }: Figure): Cost => ({
  users,
  client: (client_cores * 1000) / per_second,
  server: cpu_ms.server ?? 0,
  database: cpu_ms.database ?? 0,
  commits: counters.commits ?? 0,
})

/** A measured rate beside that of the model. */
export interface ModelPoint {
  readonly section: string
  readonly workload: string
  readonly users: number
  readonly processes: number
  readonly measured: number
  readonly predicted: number
  /** Relative: 0.1 is a prediction that is 10 % too high. */
  readonly deviation: number
  readonly isBusy: boolean
}

const modelled = ['lifecycle', 'one_task_run'] as const

/** Compares the model with all measured points of both databases. */
export function modelPoints({ sections }: Results): ModelPoint[] {
  return (['sqlite', 'postgres'] as const).flatMap((section) => {
    const { subjects = {}, machine } = sections[section] ?? {}
    return modelled.flatMap((workload) => {
      const curve = machine && costCurve(subjects[`millrace-${section}`] ?? {}, workload, machine.cores)
      if (!curve) return []
      return [1, 2].flatMap((processes) => {
        const figures = subjects[`millrace-${section}${processes === 1 ? '' : `-${processes}`}`] ?? {}
        const found = Object.entries(figures).filter(([key, figure]) => key === figureKey(workload, figure.users) && figure.failure === undefined)
        return found.map(([, figure]): ModelPoint => {
          const { users, per_second: measured, is_busy } = figure
          const predicted = predictRate(curve, { cores: availableCores(machine.cores, figure), processes, users }, figure.cpu_ms && toCost(figure))
          return { section, workload, users, processes, measured, predicted, deviation: predicted / measured - 1, isBusy: is_busy === true }
        })
      })
    })
  })
}

/** A production setup: replicas and database on machines of their own. */
export interface Deployment {
  /** Server processes, each with a core. */
  readonly replicas: number
  readonly databaseCores: number
  /** Sustained writes of the database's disk. */
  readonly diskMbPerSecond: number
  /** Time in which a transaction holds the log lock: its last statement and the flush of the log. */
  readonly lockMs: number
}

export const limitNames = { servers: 'servers', database: 'database CPU', wal: 'log bytes', lock: 'log lock' } as const
export type LimitName = keyof typeof limitNames

export interface Capacity {
  readonly perSecond: number
  readonly perDay: number
  readonly limit: LimitName
  readonly limits: Readonly<Record<LimitName, number>>
}

/** Plan for peaks: above this share of the CPU, latencies grow. */
export const plannedUtilisation = 0.7

/** Operations per second that a production setup holds, and what limits it. */
export function deploymentCapacity(curve: CostCurve, { replicas, databaseCores, diskMbPerSecond, lockMs }: Deployment): Capacity {
  const cost = costAt(curve, Number.POSITIVE_INFINITY)
  const costOf = (part: keyof ShareFactors) => cost[part] * (replicas > 1 ? curve.shareFactors[part] : 1)
  const limits: Record<LimitName, number> = {
    servers: (replicas * plannedUtilisation * 1000) / costOf('server'),
    database: (databaseCores * plannedUtilisation * 1000) / costOf('database'),
    wal: (diskMbPerSecond * 1e6 * plannedUtilisation) / Math.max(1, curve.walBytes),
    // One transaction at a time, on all replicas together.
    lock: (plannedUtilisation * 1000) / (lockMs * Math.max(costOf('commits'), 1e-6)),
  }
  const [limit, perSecond] = (Object.entries(limits) as [LimitName, number][]).reduce((least, each) => (each[1] < least[1] ? each : least))
  return { perSecond, perDay: perSecond * 86_400, limit, limits }
}
