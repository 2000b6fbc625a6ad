import { useEffect, useMemo, useRef, useState } from 'react'
import { layoutInWorker } from './graph-worker-client.ts'
import type { LayeredLayout } from './layered-layout.ts'
import { hasSameShape, type Scene } from './scene.ts'

export interface LaidOutScene {
  readonly scene: Scene
  readonly layout: LayeredLayout
}

/** Positions of nodes. A change of states keeps the layout. While a grown graph is laid out, the previous layout stays. */
export function useLayeredLayout(scene: Scene, enabled: boolean): LaidOutScene | undefined {
  const requested = useRef<Scene>(undefined)
  const [placed, setPlaced] = useState<LaidOutScene>()
  useEffect(() => {
    if (!enabled || (requested.current && hasSameShape(requested.current, scene))) return
    requested.current = scene
    const { from, to, nodes } = scene
    void layoutInWorker({ count: nodes.length, from, to }).then((layers) => {
      if (requested.current === scene) setPlaced({ scene, layout: layers })
    })
  }, [scene, enabled])
  // Node indexes are valid while the shape is the same; states are current.
  return useMemo(() => (placed && hasSameShape(placed.scene, scene) ? { scene, layout: placed.layout } : placed), [placed, scene])
}
