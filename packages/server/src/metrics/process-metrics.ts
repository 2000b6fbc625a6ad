import { readdirSync } from 'node:fs'
import { type EventLoopUtilization, monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

const gcSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5]
const nanosecondsPerSecond = 1e9
const microsecondsPerSecond = 1e6

let registry: Registry | undefined

/**
 * CPU, memory, files, event-loop delay and garbage collection of this process. The defaults of the library break the naming rules that `promtool` checks.
 * One registry for all servers of a process, which only tests have.
 */
export function processMetrics(): Registry {
  registry ??= createRegistry()
  return registry
}

function createRegistry(): Registry {
  const created = new Registry()
  const registers = [created]
  new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the process.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage()
      this.reset()
      this.inc((user + system) / microsecondsPerSecond)
    },
  })
  gauge(created, 'process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage.rss())
  gauge(created, 'process_start_time_seconds', 'Start of the process as a Unix time.', () => performance.timeOrigin / 1000, 'first')
  gauge(created, 'process_open_fds', 'Open files and connections of the process; absent where the system does not tell.', countOpenFiles)
  gauge(created, 'nodejs_heap_size_used_bytes', 'Memory that JavaScript objects use.', () => process.memoryUsage().heapUsed)
  gauge(created, 'nodejs_heap_size_total_bytes', 'Memory that is reserved for JavaScript objects.', () => process.memoryUsage().heapTotal)
  measureEventLoop(created)
  measureGarbageCollection(created)
  return created
}

/** Values of several processes are added up unless an aggregator says otherwise. */
function gauge(registry: Registry, name: string, help: string, read: () => number | undefined, aggregator: 'sum' | 'first' | 'max' = 'sum'): void {
  new Gauge({
    name,
    help,
    aggregator,
    registers: [registry],
    collect() {
      const value = read()
      if (value !== undefined) this.set(value)
    },
  })
}

function countOpenFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}

/** Delays since the previous reading. */
function measureEventLoop(registry: Registry): void {
  const delays = monitorEventLoopDelay({ resolution: 20 })
  delays.enable()
  let before: EventLoopUtilization = performance.eventLoopUtilization()
  const seconds = (nanoseconds: number) => (delays.count === 0 ? 0 : nanoseconds / nanosecondsPerSecond)
  gauge(
    registry,
    'nodejs_eventloop_delay_p99_seconds',
    'Delay of the event loop since the previous scrape.',
    () => seconds(delays.percentile(99)),
    'max',
  )
  // Gauges are read in the order of their creation, so this one resets the delays for the next scrape.
  gauge(
    registry,
    'nodejs_eventloop_delay_max_seconds',
    'Longest delay of the event loop since the previous scrape.',
    () => {
      const longest = seconds(delays.max)
      delays.reset()
      return longest
    },
    'max',
  )
  gauge(
    registry,
    'nodejs_eventloop_utilization_ratio',
    'Share of the time since the previous scrape in which the event loop was busy.',
    () => {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, before)
      before = now
      return utilization
    },
    'max',
  )
}

function measureGarbageCollection(registry: Registry): void {
  const durations = new Histogram({
    name: 'nodejs_gc_duration_seconds',
    help: 'Time of garbage collections.',
    buckets: gcSeconds,
    registers: [registry],
  })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) durations.observe(duration / 1000)
  }).observe({ entryTypes: ['gc'] })
}
