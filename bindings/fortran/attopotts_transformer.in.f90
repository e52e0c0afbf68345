! SPDX-License-Identifier: MIT
!> Attention networks that see tokens, trained on masked tokens: what factored attention is compared with.
!@ module transformer uses context alignment model table
  public :: atp_transformer, transformer_bytes

  !> A transformer encoder, or a layer with a dial between factored (0) and plain attention (1). Keeps its alignment alive, as
  !> well as the test alignment and the true model.
  !@ type transformer
    procedure :: part => transformer_part
  end type

contains

  !@ life transformer
  !@ create(train, options?, context?)
  !@ plain transformer_bytes(context, n, sites, colors, options?) -> bytes
  !@ as trainer: set_test set_truth set_log options parameter_count parameters set_parameters loss run epochs
  !@ as trainer: request_stop state_bytes save_state load_state
  !@ gradient(loss?, gradient?)
  !@ masked_gradient(masked_sites, loss?, gradient?); n=size(masked_sites, kind=c_int64_t)
  !> The present parameters as a model of one head: of a dial at 0.
  !@ model(model@out)
  !@ part_count

  !> A part, 1..part_count: parameters(first:last) are what `name` says, "tokens" or "block1.qkv" say.
  subroutine transformer_part(self, index, name, first, last, stat, errmsg)
    class(atp_transformer), intent(in) :: self
    integer, intent(in) :: index
    character(len=:), allocatable, intent(inout), optional :: name
    integer(c_int64_t), intent(inout), optional :: first, last
    type(c_ptr), target :: name_
    integer(c_int64_t), target :: offset, count
    integer(c_int) :: status
    status = atp_transformer_part(self%address(), int(index - 1, c_int64_t), c_loc(name_), c_loc(offset), c_loc(count))
    if (status == ATP_OK) then
      if (present(name)) name = text_at(name_)
      if (present(first)) first = offset + 1
      if (present(last)) last = offset + count
    end if
    call settle(status, stat, errmsg)
  end subroutine

  !> p(s_i = a | rest), conditionals(a + 1, i, n), (q, L, n), of sequences (L, n), each site masked in turn.
  !@ conditionals(sequences, conditionals@out); sites=atp_alignment_sites(needed(self%ref, SLOT_DATA)), colors=atp_alignment_colors(needed(self%ref, SLOT_DATA))
  !@ map_count
  !> Attention maps, means over an alignment: maps(j, k, b), (L, L, map_count), is what site k takes from site j in block b while it is
  !> masked.
  !@ maps(alignment, maps); sites=atp_alignment_sites(needed(self%ref, SLOT_DATA))
end module attopotts_transformer
