! SPDX-License-Identifier: MIT
!> Tables: rows of numbers under named columns, which theory, simulation, tuning and training give.
!@ module table uses context
  public :: atp_table, table_bytes

  !> table%column('eg') is a column by its name; columns count from 1.
  !@ type table
    procedure :: column => table_column
  end type

contains

  !@ life table
  !@ create(context, kind, capacity)
  !@ plain table_bytes(kind, capacity) -> bytes
  !@ rows columns capacity
  !@ kind = atp_table_kind_of
  !@ clear
  !@ values(values)
  !@ value(row, column) -> value

  !> A column by its name, "eg" say, allocated to (rows); empty where it fails.
  function table_column(self, name, stat, errmsg) result(values)
    class(atp_table), intent(in) :: self
    character(len=*), intent(in) :: name
    real(c_double), allocatable, target :: values(:)
    character(kind=c_char), allocatable, target :: store(:)
    integer(c_int) :: status
    allocate (values(self%rows()))
    status = atp_table_column(self%address(), c_text(store, name), c_loc(values), self%rows())
    if (status /= ATP_OK) values = [real(c_double) ::]
    call settle(status, stat, errmsg)
  end function

  !@ name(column) = atp_column_name; kind=self%kind()
  !@ unit(column) = atp_column_unit; kind=self%kind()
  !@ description(column) = atp_column_description; kind=self%kind()
  !@ csv -> text
  !> The column of a name; 0 for other names.
  !@ find(name) -> column = atp_column_find; kind=self%kind()
end module attopotts_table
