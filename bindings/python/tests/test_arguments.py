# SPDX-License-Identifier: MIT
"""What enters the library is what was given, or is refused by its name: numbers, texts, arrays."""
import ast
import pathlib
from decimal import Decimal
from fractions import Fraction

import attopotts as ap
import numpy as np
import pytest
from attopotts import _calls

TOO_LARGE = (2**64 + 4, 2**63, -(2**64) + 4, np.uint64(2**63 + 4))


@pytest.fixture(scope="module")
def model():
    return ap.Model.random(6, 4, seed=3)


@pytest.fixture(scope="module")
def data(model):
    return ap.Alignment(ap.Sampler(model, chains=16, seed=5).sample(100, thin=3).sequences, colors=4)


WHOLE = {
    "sites": lambda n, model, data: ap.Model.random(n, 4),
    "colors": lambda n, model, data: ap.Model.random(6, n),
    "seed": lambda n, model, data: ap.Model.random(6, 4, seed=n),
    "gap": lambda n, model, data: model.frobenius(gap=n),
    "count of doubles": lambda n, model, data: model.best_doubles([0] * 6, n),
    "count": lambda n, model, data: ap.Sampler(model).sample(n),
    "thin": lambda n, model, data: ap.Sampler(model).sample(4, thin=n),
    "sweeps": lambda n, model, data: ap.Sampler(model).sweep(n),
    "rung": lambda n, model, data: ap.Sampler(model).states(n),
    "epochs": lambda n, model, data: ap.Trainer(data, epochs=2).run(n),
    "option": lambda n, model, data: ap.Trainer(data, seed=n),
    "heads": lambda n, model, data: ap.Trainer(data).start_wide(n),
    "rows": lambda n, model, data: ap.Trainer(data).keep_log(n),
    "bytes": lambda n, model, data: ap.Trainer.bytes(n, 6, 4),
    "part": lambda n, model, data: ap.Alignment.read_part("none.fasta", n, 4, alphabet="dna"),
    "total": lambda n, model, data: data.set_columns(None, n),
    "borrowed colors": lambda n, model, data: ap.Alignment.borrow(np.zeros((2, 3), np.uint8), n),
    "threads": lambda n, model, data: ap.Context(threads=n),
    "memory_limit": lambda n, model, data: setattr(ap.Context(), "memory_limit", n),
    "rank": lambda n, model, data: ap.Context().set_ranks(type("Lone", (ap.Ranks,), dict.fromkeys(("gather", "sum", "broadcast")))(n, 1)),
    "root": lambda n, model, data: ap.Context().broadcast(np.zeros(3), root=n),
    "separation": lambda n, model, data: ap.scores.rank(np.zeros((4, 4)), separation=n),
    "draws": lambda n, model, data: ap.scores.agreement("spearman", [1, 2, 3], [1, 2, 3], draws=n),
    "chains": lambda n, model, data: ap.overlap_rhat(np.zeros((8, 3), np.uint8), n),
    "site": lambda n, model, data: ap.replica.mask_precision(np.eye(3), n),
}


@pytest.mark.parametrize("name", WHOLE)
def test_integers_are_not_taken_modulo_two_to_the_64(name, model, data):
    for wrong in TOO_LARGE:
        with pytest.raises(ValueError, match=r"is -?\d+, expected"):
            WHOLE[name](wrong, model, data)
    for wrong in ("3", 1.5, 1j, None if name not in ("epochs", "option", "rung") else "1", [1, 2], b"1"):
        with pytest.raises((TypeError, ValueError)):
            WHOLE[name](wrong, model, data)


def test_integers_of_numpy_are_integers():
    assert ap.Model.random(np.int8(6), np.uint64(4), seed=np.int32(3)).couplings().tolist() == ap.Model.random(6, 4, seed=3).couplings().tolist()
    for negative in (lambda: ap.Model.random(-1, 3), lambda: ap.Model.random(-1, 3), lambda: ap.Sampler(ap.Model.random(3, 2)).sample(-1)):
        with pytest.raises(ValueError, match="is -1"):
            negative()


REAL = {
    "pseudocount": lambda x, model, data: ap.Model.independent(data, pseudocount=x),
    "theta": lambda x, model, data: ap.Alignment([[0, 1], [1, 1]]).weigh(x),
    "beta": lambda x, model, data: setattr(ap.Model.random(3, 2), "beta", x),
    "cutoff": lambda x, model, data: ap.scores.precision([[0, 1]], np.zeros((2, 2)), x),
    "noise": lambda x, model, data: ap.replica.Masked(np.eye(2), [1, 1], x),
    "omega": lambda x, model, data: ap.dotattn.linear(omega=x),
    "target": lambda x, model, data: ap.tune_beta(model, x),
    "option": lambda x, model, data: ap.Trainer(data, l2_couplings=x),
}


@pytest.mark.parametrize("name", REAL)
def test_real_numbers_are_real(name, model, data):
    for wrong in (1 + 0j, np.complex64(1), "0.5", b"0.5", [0.5], np.array([0.5]), np.ma.array(0.5, mask=True)):
        with pytest.raises(TypeError, match="expected a real number"):
            REAL[name](wrong, model, data)


def test_numbers_of_other_types_are_real():
    for half in (np.float32(0.5), np.float16(0.5), Decimal("0.5"), Fraction(1, 2), np.array(0.5)):
        model = ap.Model.random(3, 2)
        model.beta = half
        assert model.beta == 0.5


NUMBERS = {
    "maps": lambda x: ap.Model.heads(x((2, 2)), np.ones((2, 2))),
    "values": lambda x: ap.Model.heads(np.zeros((2, 2)), x((2, 2))),
    "couplings": lambda x: ap.Model.dense(x((2, 2, 2, 2))),
    "fields": lambda x: ap.Model.dense(np.zeros((2, 2, 2, 2)), x((2, 2))),
    "weights": lambda x: ap.Alignment([[0, 1], [1, 1]], weights=x((2,))),
    "set weights": lambda x: setattr(ap.Alignment([[0, 1], [1, 1]]), "weights", x((2,))) or ap.Alignment([[0, 1]]).set_weights(x((1,))),
    "thetas": lambda x: ap.Alignment([[0, 1], [1, 1]]).scan_weights(x((2,))),
    "scores": lambda x: ap.scores.apc(x((3, 3))),
    "ranked scores": lambda x: ap.scores.rank(x((3, 3))),
    "distances": lambda x: ap.scores.precision([[0, 1]], x((3, 3))),
    "x": lambda x: ap.scores.agreement("spearman", x((3,)), [1, 2, 3], draws=0),
    "series": lambda x: ap.split_rhat(x((8,))),
    "autocorrelation": lambda x: ap.autocorrelation_time(x((8,))),
    "covariance": lambda x: ap.replica.Masked(x((2, 2)), [1, 1], 0.1),
    "precision": lambda x: ap.replica.mask_precision(x((2, 2))),
    "alphas": lambda x: ap.dotattn.curve(x((2,))),
    "teacher": lambda x: ap.dotattn.linear(teacher=x((2, 2))),
}
WHOLE_NUMBERS = {
    "sequences": lambda x: ap.Alignment(x((2, 3))),
    "start": lambda x: ap.Sampler(ap.Model.random(3, 2), chains=2).start(x((2, 3))),
    "energies": lambda x: ap.Model.random(3, 2).energies(x((2, 3))),
    "sequence": lambda x: ap.Model.random(3, 2).mutants(x((3,))),
    "single mutants": lambda x: ap.Model.random(3, 2).single_mutants(x((3,))),
    "pairs": lambda x: ap.Model.random(3, 2).keep_pairs(x((2, 2))),
    "pairs of a trainer": lambda x: ap.Trainer(ap.Alignment([[0, 1, 1], [1, 1, 0]]), pairs=x((1, 2))),
    "precision": lambda x: ap.scores.precision(x((2, 2)), np.zeros((3, 3))),
    "masked_sites": lambda x: ap.Trainer(ap.Alignment([[0, 1, 1], [1, 1, 0]])).gradient(x((2,))),
    "numbers": lambda x: ap.Model.random(3, 2).set_sites(x((3,))),
    "columns": lambda x: ap.Alignment([[0, 1, 1], [1, 1, 0]]).set_columns(x((3,)), 9),
    "distance": lambda x: ap.hamming_histogram(x((2, 3))),
    "overlap": lambda x: ap.overlap_rhat(x((8, 3)), 2),
}


@pytest.mark.parametrize("name", [*NUMBERS, *(f"{name}, whole" for name in WHOLE_NUMBERS)])
def test_arrays_that_are_no_numbers(name):
    call = WHOLE_NUMBERS[name[:-7]] if name.endswith(", whole") else NUMBERS[name]
    wrong = {"complex": lambda shape: np.ones(shape) * 1j, "masked": lambda shape: np.ma.array(np.ones(shape), mask=np.ones(shape, dtype=bool)),
             "text": lambda shape: np.full(shape, "1"), "bytes": lambda shape: np.full(shape, b"1"), "object": lambda shape: np.full(shape, None),
             "time": lambda shape: np.full(shape, 1, dtype="m8[s]"), "record": lambda shape: np.zeros(shape, dtype=[("a", "f8")]),
             "huge": lambda shape: np.full(shape, 2**70)}
    for make in wrong.values():
        with pytest.raises(TypeError, match="has dtype|is a masked array"):
            call(make)


@pytest.mark.parametrize("name", WHOLE_NUMBERS)
def test_whole_numbers_are_not_rounded_or_wrapped(name):
    for value in (0.5, np.nan, np.inf, -np.inf, 1e30, -1e30, 2.0**63, np.uint64(2**63), 256.5):
        with pytest.raises(ValueError, match=r"\[0\](\[0\])? is .*, expected"):
            WHOLE_NUMBERS[name](lambda shape, value=value: np.full(shape, value))


def test_sequences_are_bytes():
    for value in (-1, 256, 300, 257.0):
        with pytest.raises(ValueError, match=r"sequence\[0\] is .*, expected 0..255"):
            ap.Model.random(3, 2).single_mutants([value, 0, 0])


@pytest.mark.parametrize("change", [
    np.asfortranarray, lambda x: np.repeat(x, 2, axis=1)[:, ::2], lambda x: x.astype(x.dtype.newbyteorder()), lambda x: x.view(np.matrix), lambda x: x.tolist(),
    lambda x: np.lib.stride_tricks.as_strided(x.copy(), x.shape, x.strides, writeable=False), lambda x: x[::-1][::-1], lambda x: x.astype(np.float64),
    lambda x: x.astype(np.float32), lambda x: x.astype(np.int64), lambda x: memoryview(x.copy()), lambda x: x.astype(np.longdouble)])
def test_arrays_of_other_layouts_and_types_are_the_same(change):
    model = ap.Model.random(4, 3, seed=2)
    sequences = np.array([[0, 1, 2, 1], [2, 2, 0, 1]], dtype=np.uint8)
    assert model.energies(change(sequences)).tolist() == model.energies(sequences).tolist()
    scores = np.array([[0, 1, 2.0], [1, 0, 4], [2, 4, 0]])
    assert ap.scores.rank(change(scores)).tolist() == [[1, 2], [0, 2], [0, 1]]
    pairs = np.array([[0, 1], [2, 3]])
    assert model.keep_pairs(change(pairs)).pairs().tolist() == pairs.tolist()


def test_the_second_extent_of_pairs_is_two(model):
    """It is a number of the header; what is shorter would be read beyond its end."""
    for shape in ((3, 1), (3, 3), (6,), (3, 2, 1)):
        with pytest.raises(ValueError, match=r"pairs has shape .*, expected \(\w+, 2\)"):
            model.keep_pairs(np.zeros(shape, dtype=int))
    with pytest.raises(ValueError, match=r"expected \(2, 2\)"):
        ap.dotattn.linear(teacher=np.zeros((3, 3)))


TEXTS = {
    "alphabet": lambda text: ap.Alignment([[0, 1]], colors=4, alphabet=text),
    "alphabet of a model": lambda text: setattr(ap.Model.random(2, 4), "alphabet", text),
    "read": lambda text: ap.Alignment.read("none.fasta", alphabet=text),
    "borrow": lambda text: ap.Alignment.borrow(np.zeros((2, 3), np.uint8), 4, alphabet=text),
    "residues": lambda text: ap.Model.random(4, 4).set_sites(None, text),
    "name": lambda text: ap.Alignment([[0, 1]]).find(text),
    "mutants": lambda text: ap.Model.random(4, 4).score_mutations([0] * 4, text),
    "simd": lambda text: ap.Context(simd=text),
    "fail": lambda text: ap.Context().fail(text),
    "feature": ap.has_feature,
    "residues of scores": lambda text: ap.scores.write(np.zeros((4, 4)), "none", "plmc", residues=text),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_do_not_end_at_a_nul(name):
    with pytest.raises(ValueError, match="has a NUL character at place 4"):
        TEXTS[name]("ACGT\0x")
    for wrong in (b"ACGT", 7):
        with pytest.raises(TypeError):
            TEXTS[name](wrong)


@pytest.mark.parametrize("call", [
    lambda path: ap.Alignment.read(path, alphabet="dna"), lambda path: ap.Model.read(path), lambda path: ap.Model.random(3, 2).write(path),
    lambda path: ap.Alignment([[0, 1]]).write(path), lambda path: ap.scores.read(path), lambda path: ap.scores.write(np.zeros((3, 3)), path),
    lambda path: ap.scores.read_distances(path, 3), lambda path: ap.Alignment.read_part(path, 0, 1, alphabet="dna")])
def test_paths_do_not_end_at_a_nul(call, tmp_path):
    for make in (str, pathlib.Path, lambda path: path.encode()):
        with pytest.raises(ValueError, match="path has a NUL character"):
            call(make(f"{tmp_path}/file\0junk"))
    assert not list(tmp_path.iterdir())


def test_arrays_that_are_written_to(model):
    sampler = ap.Sampler(model, chains=4)
    good = np.zeros((4, 6), np.uint8)
    fixed = good.copy()
    fixed.flags.writeable = False
    for wrong in (np.ma.array(good), fixed, np.asfortranarray(good), good.astype(np.int8), good.tolist(), good[:3]):
        with pytest.raises((TypeError, ValueError), match="out is"):
            sampler.sample(4, out=wrong)
    assert sampler.sample(4, out=good).sequences.base is good
    for wrong in (np.ma.array([1.0]), np.array([None]), np.zeros(3)[::2], "text"):
        with pytest.raises((TypeError, ValueError), match="array is"):
            ap.Context().broadcast(wrong)
    with pytest.raises(TypeError, match="sequences must be"):
        ap.Alignment.borrow(np.ma.array(good), 4)


def test_words():
    with pytest.raises(ValueError, match="gauge is 7, expected one of zero_sum"):
        ap.Model.random(3, 2).frobenius(gauge=7)
    with pytest.raises(ValueError, match='gauge is "none", expected one of zero_sum'):
        ap.Model.random(3, 2).frobenius(gauge="none")


CHECKED = {"array_of", "colors_array", "handle_of", "integer_of", "real_of", "text_of", "path_of", "bytes_of", "member", "bag_of"}


def test_everything_that_a_function_takes_is_checked():
    """Each parameter of each function of _calls goes through a conversion, but outputs, whose makers are the classes."""
    unchecked = {}
    for function in ast.parse(pathlib.Path(_calls.__file__).read_text()).body:
        if isinstance(function, ast.FunctionDef):
            names = {a.arg for a in function.args.args} - {"progress"}
            seen = {argument.id for call in ast.walk(function) if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in CHECKED
                    for given in call.args for argument in ast.walk(given) if isinstance(argument, ast.Name)}
            if names - seen:
                unchecked[function.name] = names - seen
    outputs = {"alignment_filter": {"counts"}, "distances_read": {"counts"}, "dotattn_linear": {"map"}, "file_read": {"bytes"},
               "model_enumerate": {"marginals", "pairs"}, "model_probabilities": {"probabilities"}, "sampler_sample": {"sequences"},
               "model_asymptotics": {"errors"},
               "model_mutants": {"delta_log_pseudolikelihood"}, "task_get_array": {"values"}, "trainer_conditionals": {"out"},
               **{f"{kind}_save_state": {"buffer"} for kind in ("alignment", "model", "sampler", "sampling", "trainer")}}
    assert unchecked == outputs


def test_options_of_other_objects_are_refused(model, data):
    calls = [lambda: ap.Trainer(data, beta=3), lambda: ap.Trainer(data, folds=5),
             lambda: ap.Trainer(data, swap_interval=2), lambda: ap.Sampler(model, heads=2),
             lambda: ap.tune_beta(model, 0.5, beta=2.0), lambda: ap.tune_beta(model, 0.5, swap_interval=2),
             lambda: ap.select_folds(data, heads=2), lambda: ap.select_folds(data, strengths=3), lambda: ap.select_penalty(data, beta=2),
             lambda: ap.scores.mutual_information(data, precision=64), lambda: ap.scores.mean_field(data, seed=2),
             lambda: ap.Alignment.read("none", alphabet="dna", max_gaps_column=0.5), lambda: data.filter(colors=4),
             lambda: ap.dotattn.curve([1.0], seed=3), lambda: ap.dotattn.transition([0.1], omega=0.5),
             lambda: ap.replica.limit(2.5, [1.0], 0.1, noise=0.3), lambda: ap.Trainer.bytes(10, 4, 3, beta=2)]
    for call in calls:
        with pytest.raises((TypeError, ap.InputError), match=r"no option"):
            call()
    # Options of another family.
    with pytest.raises(ap.InputError, match="option heads is 2: it means nothing to family encoder"):
        ap.Trainer(data, family="encoder", heads=2)
    with pytest.raises(ap.InputError, match="option blocks is 2: it means nothing to family factored"):
        ap.Trainer(data, blocks=2)


def test_the_library_is_asked_which_options_it_reads(data):
    """Also where this package's own list is wrong."""
    with pytest.raises(ap.InputError, match="ATP_E_OPTION.*beta"):
        _calls.trainer_create(None, data, {"beta": 3})
    with pytest.raises(ap.InputError, match="ATP_E_OPTION.*diagonal-shift"):
        _calls.task_create(None, "DOTATTN_CURVE", {"diagonal_shift": 2.5})


def test_options_are_given_once():
    for call in (lambda: ap.replica.limit(2.5, [1.0], penalty=0.1, **{"lambda": 0.3}), lambda: ap.replica.limit(2.5, [1.0], 0.1, **{"lambda": 0.3}),
                 lambda: ap.dotattn.curve([1.0], penalty=0.1, **{"lambda": 0.3}), lambda: ap.dotattn.tokens([1.0], rank=1, student_rank=1)):
        with pytest.raises(TypeError, match="given twice|multiple values"):
            call()
    assert ap.replica.limit(2.5, [1.0], **{"lambda": 0.1}) == ap.replica.limit(2.5, [1.0], 0.1)


def test_alignments_of_texts():
    texts, names = ["ACD-", "-CDY", "AAAA"], ["one", "a/3-6", ">"]
    expected = [["-ACDEFGHIKLMNPQRSTVWY".index(symbol) for symbol in text] for text in texts]
    for given in (texts, tuple(texts), np.array(texts), np.array(texts, dtype=object)):
        a = ap.Alignment(given, alphabet="protein", names=names, weights=[1, 2, 3])
        assert a.sequences.tolist() == expected and a.names == names and a.weights.tolist() == [1, 2, 3]
        assert (a.colors, a.alphabet) == (21, "-ACDEFGHIKLMNPQRSTVWY")
    assert ap.Alignment(texts, 21, alphabet="protein").names == ["", "", ""]
    assert ap.Alignment(["abba", "baab"], alphabet="ab").sequences.tolist() == [[0, 1, 1, 0], [1, 0, 0, 1]]


@pytest.mark.parametrize("told, call", {
    "alphabet is missing": lambda: ap.Alignment(["AC", "CA"]),
    r"sequences\[1\] has 1 symbols, sequences\[0\] has 2": lambda: ap.Alignment(["AC", "A"], alphabet="dna"),
    r"sequences\[1\] is empty": lambda: ap.Alignment(["AC", ""], alphabet="dna"),
    r"sequences\[0\] has the character '\\n' at place 2": lambda: ap.Alignment(["AC\nCA", "CA"], alphabet="dna"),
    r"sequences\[1\] has the character '>' at place 0": lambda: ap.Alignment(["AC", ">A"], alphabet="dna"),
    r"sequences\[1\] is of type int": lambda: ap.Alignment(["AC", 7], alphabet="dna"),
    "sequences is one str": lambda: ap.Alignment("AC", alphabet="dna"),
    "names has 1 texts, sequences has 2": lambda: ap.Alignment(["AC", "CA"], alphabet="dna", names=["a"]),
    r"names\[1\] has the character ' ' at place 1": lambda: ap.Alignment(["AC", "CA"], alphabet="dna", names=["a", "b c"]),
    "names are those of": lambda: ap.Alignment([[0, 1], [1, 1]], names=["a", "b"]),
    "colors is 4, expected the 5": lambda: ap.Alignment(["AC", "CA"], 4, alphabet="dna"),
}.items())
def test_texts_that_are_no_alignment(told, call):
    with pytest.raises((TypeError, ValueError), match=told):
        call()


@pytest.mark.parametrize("told, call", {
    "alignment is of type Model": lambda model, data: ap.Trainer(model),
    "alignment has 2 sites": lambda model, data: ap.Trainer(data).set_test(ap.Alignment([[0, 1]])),
    "model has 2 sites": lambda model, data: ap.Trainer(data).set_truth(ap.Model.random(2, 2)),
    "count is 0": lambda model, data: ap.Sampling(model, 0),
    "count is -1": lambda model, data: ap.Sampler(model).sweep(-1),
    "state is of type str": lambda model, data: ap.Sampler(model).load_state("x"),
    "rows is -1": lambda model, data: ap.Trainer(data).keep_log(-1),
    "covariance is not positive definite": lambda model, data: ap.replica.mask_covariance(-np.eye(3)),
    "option penalty is -5": lambda model, data: ap.replica.limit(2.5, [1.0], -5.0),
    "option rank is 5": lambda model, data: ap.dotattn.tokens([1.0], rank=5),
    "option l2_couplings is -5": lambda model, data: ap.Trainer(data, l2_couplings=-5),
    r"numbers has shape \(2,\), expected \(6,\)": lambda model, data: model.set_sites([1, 2]),
    r"sequences\[0\]\[1\] is 9": lambda model, data: model.energies([[0, 9, 0, 0, 0, 0]]),
    r"couplings\[0\]\[0\]\[0\]\[0\] is nan": lambda model, data: ap.Model.dense(np.full((3, 3, 2, 2), np.nan)),
    r"pairs\[0\]\[1\] is 9": lambda model, data: model.keep_pairs([[0, 9]]),
    r"pairs\[1\]\[0\] is 0.5": lambda model, data: model.keep_pairs([[0, 1], [0.5, 2]]),
}.items())
def test_errors_name_arguments_as_methods_do(told, call, model, data):
    with pytest.raises((TypeError, ValueError), match=f"^(ATP_E_[A-Z_]+: )?{told}"):
        call(model, data)


@pytest.mark.parametrize("half", [np.triu, np.tril])
def test_triangles_are_not_taken_as_symmetric(half):
    whole = np.array([[0, 3.0, 1], [3, 0, 2], [1, 2, 0]])
    assert ap.scores.rank(whole).tolist() == [[0, 1], [1, 2], [0, 2]]
    for call in (ap.scores.apc, ap.scores.rank, lambda m: ap.scores.precision([[0, 1]], m), lambda m: ap.scores.write(m, "none"),
                 lambda m: ap.replica.mask_covariance(m + 4 * np.eye(3)), lambda m: ap.replica.Masked(m + 4 * np.eye(3), [1, 1, 1], 0.1)):
        with pytest.raises(ap.InputError, match="symmetric|triangle"):
            call(half(whole))
    unknown = np.where(half(np.ones((3, 3))) > 0, whole, np.nan)
    assert ap.scores.precision([[0, 1], [0, 2]], unknown, 2.0).tolist() == ap.scores.precision([[0, 1], [0, 2]], whole, 2.0).tolist() == [0, 0.5]


def test_a3m_of_colabfold(tmp_path):
    """A line with # comes first, and lower case are inserts."""
    path = tmp_path / "a.a3m"
    path.write_text("#5\t1\n>101\nMKV-L\n>other\t120\t0.3\nMaaKVAL\n>third\n-KVAL\n")
    a = ap.Alignment.read(path, alphabet="protein")
    assert a.sequences.tolist() == ap.Alignment(["MKV-L", "MKVAL", "-KVAL"], alphabet="protein").sequences.tolist()
    assert a.names[0] == "101" and a.border == 0


def test_pair_of_colabfold(tmp_path):
    """Two alignments with a zero byte between them: row k of both is a pair."""
    path = tmp_path / "pair.a3m"
    path.write_bytes(b"#3\t1\n>101\nMKV\n>other\nMaaKV\n\0#2\t1\n>102\nAL\n>more\n-L\n")
    a = ap.Alignment.read(path, alphabet="protein", format="paired")
    assert a.sequences.tolist() == ap.Alignment(["MKVAL", "MKV-L"], alphabet="protein").sequences.tolist()
    assert a.names == ["101", "other"] and a.border == 3
    assert a.focus("other").border == 3
    assert ap.Alignment.read(path, alphabet="protein").sequences.shape == (2, 3)
    path.write_bytes(b">101\nMKV\n>other\nMKV\n")
    with pytest.raises(ap.InputError, match="one alignment, expected two"):
        ap.Alignment.read(path, alphabet="protein", format="paired")
