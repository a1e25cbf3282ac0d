import type { Texts } from './en.ts'

export const texts = {
  lead: 'Entre nos aplicativos com uma só conta.',
  account: 'Sua conta',
  accountText: 'Seu perfil, senha, segundos fatores e aplicativos.',
  console: 'Console',
  consoleText: 'Para administradores: aplicativos, usuários e atividade.',
  documentation: 'Documentação',
  documentationText: 'Como criar aplicativos com este servidor, operá-lo e administrá-lo. Em inglês.',
  api: 'Referência da API',
  apiText: 'Para desenvolvedores: todos os endpoints, para ler e testar.',
  metadata: 'Metadados do servidor',
  metadataText: 'Para bibliotecas de cliente: os endereços de todos os endpoints.',
} satisfies Texts
