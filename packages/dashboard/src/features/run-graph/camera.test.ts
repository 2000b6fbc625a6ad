import { expect, test } from 'vitest'
import { centerCamera, fitCamera, isVisible, type PlotBounds, panCamera, zoomCamera } from './camera.ts'

const margin = { top: 10, right: 10, bottom: 10, left: 10 }
const map: PlotBounds = { width: 2000, height: 500, margin, kxMax: 2, kyMax: 1, uniformScale: true }
const chart: PlotBounds = { width: 60_000, height: 2600, margin, kxMax: 20, kyMax: 1, uniformScale: false }
const size = { width: 1020, height: 520 }

test('fits a map with one scale and centres it', () => {
  const camera = fitCamera(map, size)
  expect(camera.kx).toBe(0.5)
  expect(camera.ky).toBe(0.5)
  expect((0 - camera.y) * camera.ky).toBe((520 - 250) / 2)
})

test('fits a chart to the width with rows at natural height', () => {
  expect(fitCamera(chart, size)).toMatchObject({ kx: 1000 / 60_000, ky: 500 / 2600 })
  expect(fitCamera({ ...chart, height: 52 }, size).ky).toBe(1)
})

test('zooms around the pointer', () => {
  const before = fitCamera(map, size)
  const at = { x: 300, y: 260 }
  const after = zoomCamera(before, map, size, at, 1.5)
  expect(after.x + at.x / after.kx).toBeCloseTo(before.x + at.x / before.kx)
  expect(after.kx).toBeCloseTo(0.75)
})

test('clamps the zoom', () => {
  const near = zoomCamera(fitCamera(map, size), map, size, { x: 0, y: 0 }, 1000)
  expect(near.kx).toBe(2)
  const far = zoomCamera(near, map, size, { x: 0, y: 0 }, 1 / 1e6)
  expect(far.kx).toBe(0.25)
  expect(zoomCamera(fitCamera(chart, size), chart, size, { x: 0, y: 0 }, 1000).ky).toBe(1)
})

test('keeps part of the plot visible', () => {
  const camera = panCamera(fitCamera(map, size), map, size, 1e9, 1e9)
  expect((0 - camera.x) * camera.kx).toBeCloseTo(size.width - 80)
})

test('centres a point at a readable zoom', () => {
  const box = { x: 1500, y: 400, width: 168, height: 26 }
  const camera = centerCamera(fitCamera(map, size), map, size, box, { kx: 0.8, ky: 0.8 })
  expect(camera.kx).toBe(0.8)
  expect((box.x + box.width / 2 - camera.x) * camera.kx).toBeCloseTo(size.width / 2)
  expect(isVisible(camera, size, box)).toBe(true)
  expect(isVisible(camera, size, { ...box, x: -5000 })).toBe(false)
})
