import { useEffect, useMemo, useRef, useState } from 'react'
import { placeElsewhere } from './graph-worker.ts'
import type { Layers } from './layers.ts'
import { type Scene, sameShape } from './scene.ts'

export interface Placed {
  readonly scene: Scene
  readonly layers: Layers
}

/** Where the nodes stand. What only changed its states is not placed again; while what has grown is placed, the one before stays. */
export function useLayers(scene: Scene, wanted: boolean): Placed | undefined {
  const asked = useRef<Scene>(undefined)
  const [placed, setPlaced] = useState<Placed>()
  useEffect(() => {
    if (!wanted || (asked.current && sameShape(asked.current, scene))) return
    asked.current = scene
    const { from, to, nodes } = scene
    void placeElsewhere({ count: nodes.length, from, to }).then((layers) => {
      if (asked.current === scene) setPlaced({ scene, layers })
    })
  }, [scene, wanted])
  // Numbers of nodes hold as long as the shape does; the states are those of now.
  return useMemo(() => (placed && sameShape(placed.scene, scene) ? { scene, layers: placed.layers } : placed), [placed, scene])
}
