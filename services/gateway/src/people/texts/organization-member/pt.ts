import type { Texts } from './en.ts'

export const texts = {
  heading: (name) => `Grupos e funções de ${name}`,
  groups: 'Grupos',
  noGroups: 'Não está em nenhum grupo.',
  group: 'Grupo',
  addGroup: 'Adicionar ao grupo',
  removeGroup: (group) => `Remover do grupo ${group}`,
  remove: 'Remover',
  noMoreGroups: 'A organização não tem outro grupo.',
  roles: 'Funções',
  noRoles: 'Não tem nenhuma função.',
  role: 'Função',
  roleOf: (role, resource) => `${role} (${resource})`,
  byGroup: (group) => `pelo grupo ${group}`,
  giveRole: 'Dar a função',
  takeRole: (role) => `Tirar a função ${role}`,
  take: 'Tirar',
  noMoreRoles: 'Não há outra função que as organizações possam dar.',
  back: 'Voltar aos membros',
  refused: 'Nada foi alterado: o membro, o grupo ou a função não existe mais, ou o máximo foi atingido.',
} satisfies Texts
