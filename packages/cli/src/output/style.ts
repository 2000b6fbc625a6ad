import { styleText } from 'node:util'
import type { Sink } from '../io.ts'

export type Style = Parameters<typeof styleText>[0]

/** Adds colours and other styles if the stream is a terminal. */
export type Styler = (style: Style, text: string) => string

export function stylerFor(sink: Sink, env: Readonly<Record<string, string | undefined>>, colour = true): Styler {
  return colour && usesColour(sink, env) ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text
}

/** https://no-color.org and https://force-color.org */
function usesColour(sink: Sink, env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0'
  return sink.isTTY === true && env.TERM !== 'dumb'
}

/** Colours of state types, as in the dashboard. */
export const stateStyles: Readonly<Record<string, Style>> = {
  SCHEDULED: 'yellow',
  PENDING: 'gray',
  RUNNING: 'blue',
  COMPLETED: 'green',
  FAILED: 'red',
  CRASHED: 'magenta',
  CANCELLED: 'gray',
  CANCELLING: 'gray',
  PAUSED: 'cyan',
}
