import { join } from 'node:path'
import { programCache } from '@gatehouse/test/programs/program-cache'
import { must } from './shell.ts'

/** The directory of everything that is gathered and built for images, outside of the checkout. */
export const home = join(programCache, 'images')

/** The directory from which images are built. */
export const context = join(home, 'context')

/** Runs buildah with a storage of its own. */
export function buildah(...argv: string[]): Promise<string> {
  const storage = ['--root', join(home, 'storage'), '--runroot', join(home, 'storage-run')]
  return must('buildah', [...storage, '--storage-driver', 'overlay', ...argv])
}

/**
 * Builds an image, with the layers that did not change.
 * @param image its name and tag
 * @param file its Containerfile
 * @param directory what it is built from
 * @param options further arguments of buildah
 */
export async function buildImage(
  image: string,
  file: string,
  directory: string,
  ...options: string[]
): Promise<void> {
  console.log(`Making the image ${image}.`)
  const all = ['--layers', '--isolation', 'chroot', '--tag', `localhost/${image}`, ...options]
  await buildah('build', ...all, '--file', file, directory)
}
