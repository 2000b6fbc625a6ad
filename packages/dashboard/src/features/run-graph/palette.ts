import { stackOrder } from '../../ui/display-state.ts'
import type { Palette } from './plot.ts'

/** Reads theme colours from CSS at the canvas, again after each theme change. */
export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element)
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim()
  const looks = (ending: string) =>
    Object.fromEntries(stackOrder.map((displayState) => [displayState, token(`${displayState}${ending}`)])) as Palette['fill']
  return {
    surface: token('surface'),
    sunken: token('sunken'),
    line: token('line'),
    rim: token('rim'),
    edge: token('edge'),
    ink: token('ink'),
    soft: token('soft'),
    faint: token('faint'),
    accent: token('accent'),
    wash: token('wash'),
    font: style.fontFamily,
    fill: looks('-fill'),
    colour: looks(''),
  }
}
