/** Draws plots as SVG that can be read on light and dark pages. Colours follow the scheme of the reader; the background is transparent. */

const palette = ['#2563eb', '#d97706', '#059669', '#db2777', '#7c3aed', '#0891b2', '#65a30d', '#dc2626', '#475569', '#9333ea']
const darkPalette = ['#60a5fa', '#fbbf24', '#34d399', '#f472b6', '#a78bfa', '#22d3ee', '#a3e635', '#f87171', '#94a3b8', '#c084fc']

const fontFamily = 'system-ui, -apple-system, sans-serif'

/** Text inside of an element. */
export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

function svg(width: number, height: number, title: string, content: readonly string[]): string {
  const rules = (colours: readonly string[]) => colours.map((colour, index) => `.f${index}{fill:${colour}}.s${index}{stroke:${colour}}`).join('')
  const style = [
    `text{font:12px ${fontFamily};fill:#334155}.title{font-weight:600;font-size:14px;fill:#0f172a}.small{font-size:11px}`,
    `.grid{stroke:#94a3b8;stroke-opacity:.35}.line{fill:none;stroke-width:2}${rules(palette)}`,
    `@media (prefers-color-scheme:dark){text{fill:#cbd5e1}.title{fill:#f1f5f9}${rules(darkPalette)}}`,
  ].join('')
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeText(title)}">`,
    `<title>${escapeText(title)}</title>`,
    `<style>${style}</style>`,
    `<text class="title" x="12" y="22">${escapeText(title)}</text>`,
    ...content,
    '</svg>',
  ].join('\n')}\n`
}

const at = (value: number): string => String(Number(value.toFixed(1)))

const label = (x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end' = 'start', small = false): string =>
  `<text x="${at(x)}" y="${at(y)}" text-anchor="${anchor}"${small ? ' class="small"' : ''}>${escapeText(text)}</text>`

const gridLine = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line class="grid" x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}"/>`

interface Scale {
  place(value: number): number
  readonly ticks: readonly number[]
}

/** Powers of ten around all values. */
function logScale(values: readonly number[], from: number, to: number): Scale {
  const positive = values.filter((value) => value > 0)
  const lowest = Math.floor(Math.log10(positive.length === 0 ? 1 : Math.min(...positive)))
  const highest = Math.max(lowest + 1, Math.ceil(Math.log10(positive.length === 0 ? 1 : Math.max(...positive))))
  const place = (value: number) => from + ((Math.log10(Math.max(value, 10 ** lowest)) - lowest) / (highest - lowest)) * (to - from)
  return { place, ticks: Array.from({ length: highest - lowest + 1 }, (_, index) => 10 ** (lowest + index)) }
}

/** Round steps from 0. */
function linearScale(values: readonly number[], from: number, to: number): Scale {
  const highest = Math.max(...values, 1e-9)
  const raw = highest / 5
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10)
  const top = Math.ceil(highest / step) * step
  return {
    place: (value) => from + (value / top) * (to - from),
    ticks: Array.from({ length: Math.round(top / step) + 1 }, (_, index) => Number((index * step).toPrecision(12))),
  }
}

/** `1,000,000` as `1M`. */
export function shortNumber(value: number): string {
  const units = [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const
  const unit = units.find(([size]) => Math.abs(value) >= size)
  return unit ? `${Number((value / unit[0]).toPrecision(3))}${unit[1]}` : String(Number(value.toPrecision(3)))
}

function legend(names: readonly string[], x: number, y: number, columnWidth: number, columns: number): string[] {
  return names.flatMap((name, index) => {
    const [left, top] = [x + (index % columns) * columnWidth, y + Math.floor(index / columns) * 18]
    return [
      `<rect class="f${index % palette.length}" x="${at(left)}" y="${at(top - 9)}" width="10" height="10" rx="2"/>`,
      label(left + 15, top, name),
    ]
  })
}

export interface BarGroup {
  readonly label: string
  /** One value per series; undefined where there is none. */
  readonly values: readonly (number | undefined)[]
}

export interface BarChart {
  readonly title: string
  readonly unit: string
  readonly series: readonly string[]
  readonly groups: readonly BarGroup[]
  readonly isLogarithmic?: boolean
}

/** Horizontal bars in groups, with their values. */
export function drawBars({ title, unit, series, groups, isLogarithmic = false }: BarChart): string {
  const [width, left, right, barHeight, gap] = [820, 230, 80, 12, 10]
  const top = 56 + Math.ceil(series.length / 4) * 18
  const groupHeight = series.length * barHeight + gap
  const bottom = top + groups.length * groupHeight
  const values = groups.flatMap((group) => group.values.filter((value) => value !== undefined))
  const scale = isLogarithmic ? logScale([1, ...values], left, width - right) : linearScale(values, left, width - right)
  const content = [
    ...legend(series, left, 46, 145, 4),
    ...scale.ticks.flatMap((tick) => [
      gridLine(scale.place(tick), top - 6, scale.place(tick), bottom),
      label(scale.place(tick), bottom + 16, shortNumber(tick), 'middle', true),
    ]),
    ...groups.flatMap((group, index) => {
      const y = top + index * groupHeight
      return [
        label(left - 10, y + (groupHeight - gap) / 2 + 4, group.label, 'end'),
        ...group.values.flatMap((value, number) => {
          if (value === undefined) return []
          const barTop = y + number * barHeight
          const length = Math.max(1, scale.place(value) - left)
          return [
            `<rect class="f${number % palette.length}" x="${left}" y="${at(barTop)}" width="${at(length)}" height="${barHeight - 2}" rx="2"/>`,
            label(left + length + 5, barTop + barHeight - 3, shortNumber(value), 'start', true),
          ]
        }),
      ]
    }),
    label(left, bottom + 34, unit, 'start', true),
  ]
  return svg(width, bottom + 46, title, content)
}

export interface LineSeries {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

export interface LineChart {
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  readonly series: readonly LineSeries[]
  readonly isXLogarithmic?: boolean
  readonly isYLogarithmic?: boolean
}

/** Lines with a legend below. */
export function drawLines({ title, xLabel, yLabel, series, isXLogarithmic = false, isYLogarithmic = false }: LineChart): string {
  const [width, left, right, top, plotHeight] = [820, 64, 24, 52, 300]
  const bottom = top + plotHeight
  const points = series.flatMap((each) => each.points)
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  const x = (isXLogarithmic ? logScale : linearScale)(xs, left, width - right)
  const y = (isYLogarithmic ? logScale : linearScale)(ys, bottom, top)
  const legendRows = Math.ceil(series.length / 4)
  const content = [
    label(left, top - 10, yLabel, 'start', true),
    ...y.ticks.flatMap((tick) => [
      gridLine(left, y.place(tick), width - right, y.place(tick)),
      label(left - 8, y.place(tick) + 4, shortNumber(tick), 'end', true),
    ]),
    ...x.ticks.flatMap((tick) => [
      gridLine(x.place(tick), top, x.place(tick), bottom),
      label(x.place(tick), bottom + 16, shortNumber(tick), 'middle', true),
    ]),
    label((left + width - right) / 2, bottom + 34, xLabel, 'middle', true),
    ...series.flatMap(({ points: line }, index) => {
      const path = line.map(([px, py], number) => `${number === 0 ? 'M' : 'L'}${at(x.place(px))} ${at(y.place(py))}`).join('')
      const dots =
        line.length > 20
          ? []
          : line.map(([px, py]) => `<circle class="f${index % palette.length}" cx="${at(x.place(px))}" cy="${at(y.place(py))}" r="3"/>`)
      return [`<path class="line s${index % palette.length}" d="${path}"/>`, ...dots]
    }),
    ...legend(
      series.map(({ name }) => name),
      left,
      bottom + 58,
      185,
      4,
    ),
  ]
  return svg(width, bottom + 58 + legendRows * 18, title, content)
}
