// Prints the list of the packages of npm in the image (SPDX 2.3), for the Dockerfile, which has no other package of ours yet.
import { readFileSync } from 'node:fs'
import { packagesOfImage } from './image-packages.ts'
import { ofNpm, spdxDocument, spdxPackage } from './spdx.ts'

const { version, license } = JSON.parse(readFileSync('package.json', 'utf8'))
const own = spdxPackage('oci', 'gatehouse', version, license)
process.stdout.write(spdxDocument(own, new Date(), packagesOfImage('.').map(ofNpm)))
