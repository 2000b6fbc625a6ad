import type { Attack } from './target.ts'

const subscribers = 60
const events = 200

/** Events for many subscribers at once. */
export const eventFanOut: Attack = async (target) => {
  for (let n = 0; n < subscribers; n += 1)
    target.subscribe('/events/out', { type: 'filter', filter: { event: { name: ['attack.fan-out'] } }, backfill: false })
  const event = () => ({
    id: crypto.randomUUID(),
    event: 'attack.fan-out',
    occurred: new Date().toISOString(),
    resource: { 'prefect.resource.id': 'attack' },
    payload: { text: 'x'.repeat(20_000) },
  })
  return () => target.call('POST', '/events', Array.from({ length: events }, event))
}

/** First messages as long as allowed, with as many values as fit, from connections that never sign in. */
export const unsignedMessages: Attack = async (target) => async () => {
  const message = `{"type":"auth","token":${'['.repeat(90)}${'0,'.repeat(3900)}0${']'.repeat(90)}}`
  const closed = Array.from({ length: 20 }, () => {
    const socket = new WebSocket(`ws://${target.host}:${target.port}/api/events/in`, 'prefect')
    socket.onerror = () => {}
    socket.onopen = () => socket.send(message)
    return new Promise((resolve) => socket.addEventListener('close', resolve))
  })
  await Promise.all(closed)
}
