import { useEffect, useMemo, useRef, useState } from 'react'
import { layoutInWorker } from './graph-worker-client.ts'
import type { LayeredLayout } from './layered-layout.ts'
import { hasSameShape, type Scene } from './scene.ts'

export interface LaidOutScene {
  readonly scene: Scene
  readonly layout: LayeredLayout
}

/** Where the nodes stand. What only changed its states is not placed again; while what has grown is placed, the one before stays. */
export function useLayeredLayout(scene: Scene, wanted: boolean): LaidOutScene | undefined {
  const asked = useRef<Scene>(undefined)
  const [placed, setPlaced] = useState<LaidOutScene>()
  useEffect(() => {
    if (!wanted || (asked.current && hasSameShape(asked.current, scene))) return
    asked.current = scene
    const { from, to, nodes } = scene
    void layoutInWorker({ count: nodes.length, from, to }).then((layers) => {
      if (asked.current === scene) setPlaced({ scene, layout: layers })
    })
  }, [scene, wanted])
  // Numbers of nodes hold as long as the shape does; the states are those of now.
  return useMemo(() => (placed && hasSameShape(placed.scene, scene) ? { scene, layout: placed.layout } : placed), [placed, scene])
}
