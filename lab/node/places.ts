import { join } from 'node:path'
import { programCache } from '@gatehouse/test/programs/program-cache'

/** Everything that the node needs and makes, outside of the checkout. */
export const home = join(programCache, 'node')

/** The archives of the images that the node begins with. */
export const imageDirectory = join(home, 'images')

/** The directory of the files of a running node; it goes with the node. */
export const runDirectory = join(home, 'run')

/** A file in it. */
export const inRun = (...names: string[]) => join(runDirectory, ...names)

/** The file that is locked as long as any process of a node lives. */
export const lockFile = join(home, 'lock')

/** The port of the API server, in the node's own network. */
export const apiPort = 6443

/** The node's registry, from which it pulls the image and the chart of Gatehouse. */
export const registry = 'localhost:5000'

/** The address by which pods reach the node. */
export const nodeAddress = '10.89.0.1'

/** The group of control groups that has all of the node's. */
export const cgroupName = 'gatehouse-node'
