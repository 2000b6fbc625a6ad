import { setTimeout as pause } from 'node:timers/promises'
import { type ReceivedEvent, subscribe } from '../event-subscriber.ts'
import { Histogram, round } from '../histogram.ts'
import { HttpConnection } from '../http-connection.ts'
import { type BenchContext, isoTime, type Trial } from '../workload.ts'

const batchSize = 10
const publishers = 2
const deliveryMs = 30_000
const probeMs = 200

/** Events sent by two publishers, each delivered to all subscribers of `/events/out`. A publisher sends the next batch when all have the last. */
export function fanOut(context: BenchContext, subscribers: number): Trial {
  return {
    name: `sockets.fan_out_${subscribers}`,
    unit: 'deliveries',
    async measure({ seconds }) {
      // Of its own: a new subscriber also gets the events of the last minutes that match.
      const prefix = `bench.${context.stamp}.socket-${subscribers}.`
      const latencies = new Histogram()
      const waiting = new Map<string, { left: number; done(): void }>()
      const ready = new Set<number>()
      let isMeasured = false
      const receive = (number: number) => (event: ReceivedEvent) => {
        if (event.event.endsWith('probe')) return void ready.add(number)
        if (isMeasured) latencies.record(performance.now() - Number(event.payload.sent))
        const batch = waiting.get(String(event.payload.batch))
        if (!batch) return
        batch.left -= 1
        if (batch.left === 0) batch.done()
      }
      const filter = { event: { prefix: [prefix] } }
      const closers = await Promise.all(Array.from({ length: subscribers }, (_, number) => subscribe(context, number, filter, receive(number))))
      const send = (http: HttpConnection, name: string, count: number, payload: object) =>
        http.raw(
          'POST',
          '/events',
          Array.from({ length: count }, () => ({
            id: context.newId(),
            occurred: isoTime(Date.now()),
            event: `${prefix}${name}`,
            resource: { 'prefect.resource.id': 'bench.socket' },
            payload,
          })),
        )
      // A subscription starts some time after its filter was sent.
      for (const end = performance.now() + deliveryMs; ready.size < subscribers; ) {
        if (performance.now() > end) throw new Error(`${subscribers - ready.size} of ${subscribers} subscribers receive nothing`)
        await send(context.setup, 'probe', 1, {})
        await pause(probeMs)
      }
      let errors = 0
      let operations = 0
      const started = performance.now()
      isMeasured = true
      const publish = async (number: number) => {
        const http = new HttpConnection(context.urls[number % context.urls.length] as string, context.connection)
        while (performance.now() - started < seconds * 1000) {
          const batch = context.newId()
          const delivered = new Promise<boolean>((resolve) => {
            const timer = setTimeout(() => resolve(false), deliveryMs)
            waiting.set(batch, {
              left: subscribers * batchSize,
              done: () => {
                clearTimeout(timer)
                resolve(true)
              },
            })
          })
          await send(http, 'sent', batchSize, { batch, sent: performance.now() })
          if (await delivered) operations += 1
          else errors += 1
          waiting.delete(batch)
        }
        http.close()
      }
      await Promise.all(Array.from({ length: publishers }, (_, number) => publish(number)))
      const took = (performance.now() - started) / 1000
      for (const close of closers) close()
      return {
        users: subscribers,
        seconds: round(took),
        operations,
        perSecond: round(operations / took),
        unitsPerSecond: round(latencies.count / took),
        latencyMs: latencies.summary(),
        errors,
      }
    },
  }
}
