import { type Attack, basic } from './target.ts'

const perRound = 50

/** Guesses the password by requests and by WebSockets. */
export const passwordGuesses: Attack = async (target) => async () => {
  const guesses = Array.from({ length: perRound }, () => crypto.randomUUID())
  await Promise.all(guesses.map((guess) => target.call('GET', '/version', undefined, { authorization: basic(`user:${guess}`) })))
  const socket = new WebSocket(`ws://${target.host}:${target.port}/api/events/out`, 'prefect')
  socket.onerror = () => {}
  socket.onopen = () => socket.send(JSON.stringify({ type: 'auth', token: `user:${crypto.randomUUID()}` }))
  await new Promise((resolve) => socket.addEventListener('close', resolve))
}
