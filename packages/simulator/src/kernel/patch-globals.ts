import type { VirtualLoop } from './virtual-loop.ts'

interface Timer {
  ref(): Timer
  unref(): Timer
  hasRef(): boolean
  refresh(): Timer
  cancel(): void
}

/** How long one turn of an event loop takes. */
const turnMicros = 20

/** Virtual times are seconds after this. */
export const startOfTime = Date.UTC(2030, 0, 1) * 1000

/**
 * Replaces the timers and clocks of this process for code that runs on a machine of the loop. All other code keeps the real ones.
 * Returns a function that restores the globals.
 */
export function patchGlobals(loop: () => VirtualLoop | undefined): () => void {
  const real = { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, dateNow: Date.now }
  const realNow = performance.now.bind(performance)
  const simulated = () => {
    const current = loop()
    const machine = current?.machine
    return current && machine ? { loop: current, machine } : undefined
  }

  function startTimer(micros: number, run: () => void, repeats: boolean): Timer | undefined {
    const context = simulated()
    if (!context) return undefined
    let stop: () => void
    const arm = () => {
      stop = context.loop.after(micros, context.machine, () => {
        if (repeats) arm()
        run()
      })
    }
    arm()
    const timer: Timer = {
      ref: () => timer,
      unref: () => timer,
      hasRef: () => true,
      refresh() {
        stop()
        arm()
        return timer
      },
      cancel: () => stop(),
    }
    return timer
  }

  const clear = (fallback: (timer: never) => void) => (timer: unknown) => {
    if (timer && typeof timer === 'object' && 'cancel' in timer) (timer as Timer).cancel()
    else fallback(timer as never)
  }
  type Callback = (...values: unknown[]) => void
  const global = globalThis as unknown as Record<string, unknown>
  global.setTimeout = (call: Callback, ms = 0, ...values: unknown[]) =>
    startTimer(Math.max(1, ms) * 1000, () => call(...values), false) ?? real.setTimeout(call, ms, ...values)
  global.setInterval = (call: Callback, ms = 0, ...values: unknown[]) =>
    startTimer(Math.max(1, ms) * 1000, () => call(...values), true) ?? real.setInterval(call, ms, ...values)
  global.setImmediate = (call: Callback, ...values: unknown[]) =>
    startTimer(turnMicros, () => call(...values), false) ?? real.setImmediate(call, ...values)
  global.clearTimeout = clear(real.clearTimeout)
  global.clearInterval = clear(real.clearInterval)
  global.clearImmediate = clear(real.clearImmediate)
  performance.now = () => {
    const context = simulated()
    return context ? (context.loop.now - context.machine.startedAt) / 1000 : realNow()
  }
  Date.now = () => {
    const context = simulated()
    return context ? Math.floor((startOfTime + context.loop.now + context.machine.wallOffset) / 1000) : real.dateNow()
  }

  return () => {
    const { dateNow, ...timers } = real
    Object.assign(globalThis, timers)
    performance.now = realNow
    Date.now = dateNow
  }
}
