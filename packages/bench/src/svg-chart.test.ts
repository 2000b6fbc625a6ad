import { expect, test } from 'vitest'
import { drawBars, drawLines, escapeText, shortNumber } from './svg-chart.ts'

const bars = { title: 'Rates <of> "A & B"', unit: 'times', series: ['SQLite', 'PostgreSQL'], groups: [{ label: 'lifecycle', values: [10, 100] }] }

/** Widths of the bars. The first rectangle at this place belongs to the legend. */
const widthsOf = (text: string): number[] =>
  [...text.matchAll(/<rect class="f\d+" x="230" y="[\d.]+" width="([\d.]+)"/g)].map(([, width]) => Number(width)).slice(1)

test('draws bars in proportion', () => {
  const [first, second] = widthsOf(drawBars(bars)) as [number, number]
  expect(second / first).toBeCloseTo(10, 1)
})

test('draws bars on a logarithmic scale', () => {
  const [first, second] = widthsOf(drawBars({ ...bars, isLogarithmic: true })) as [number, number]
  expect(second / first).toBeCloseTo(2, 1)
})

test('leaves out missing values', () => {
  expect(widthsOf(drawBars({ ...bars, groups: [{ label: 'a', values: [undefined, 5] }] }))).toHaveLength(1)
})

test('escapes texts', () => {
  expect(drawBars(bars)).toContain('<title>Rates &lt;of&gt; &quot;A &amp; B&quot;</title>')
  expect(escapeText('<&>"')).toBe('&lt;&amp;&gt;&quot;')
})

test('has colours for light and dark pages, and no background', () => {
  const text = drawBars(bars)
  expect(text).toContain('@media (prefers-color-scheme:dark)')
  expect(text).not.toMatch(/<rect[^>]*width="820"/)
})

test('draws lines from left to right inside of the plot', () => {
  const series = [
    {
      name: 'filter.latest',
      points: [
        [1000, 1],
        [1_000_000, 2],
      ] as [number, number][],
    },
  ]
  const text = drawLines({ title: 'Growth', xLabel: 'runs', yLabel: 'ms', series, isXLogarithmic: true })
  const [, x1, y1, x2, y2] = (/d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)"/.exec(text) ?? []).map(Number) as [number, number, number, number, number]
  expect(x1).toBeLessThan(x2)
  expect(y1).toBeGreaterThan(y2)
  expect([x1, x2]).toEqual([64, 796])
  expect(text).toContain('filter.latest')
})

test('shortens numbers', () => {
  expect([0.5, 12.345, 999, 1000, 1_234_567, 2e9].map(shortNumber)).toEqual(['0.5', '12.3', '999', '1k', '1.23M', '2G'])
})
